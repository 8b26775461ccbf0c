"""Equalities, tendons and actuators against MuJoCo, on the same model text: what both define alike must come out alike. MuJoCo's softness acts under the
solver "mujoco", to rounding; hard equalities are compared with MuJoCo at its stiffest, to what its softness leaves."""

import glob
import os
import sys
import unittest

try:
    import mujoco
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import touchstone

STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'
SOFT = 'solref="0.03 0.8" solimp="0.7 0.95 0.02 0.4 3"'

PENDULUM = """<mujoco><option timestep="0.001" integrator="Euler"/><worldbody>
<body name="p" pos="0.1 0.2 0"><freejoint/><geom type="box" size="0.1 0.05 0.02" mass="1"/></body></worldbody>
<equality><connect body1="p" anchor="0.3 0 0.4" {softness}/></equality></mujoco>"""

# Two arms, the first of two links; their ends are connected: a loop whose rows across the plane hold nothing.
LOOP = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0"/>
 <body name="b" pos="0.3 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.4"/></body></body>
<body name="c" pos="0.6 0 1"><joint axis="0 1 0"/><geom fromto="0 0 0 -0.2 0 -0.4"/></body></worldbody>
<equality><connect body1="b" body2="c" anchor="0.1 0 -0.4" {softness}/></equality></mujoco>"""

SITES = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<site name="hook" pos="0.5 0.1 0.8"/>
<body pos="0 0 1"><joint type="ball"/><geom fromto="0 0 0 0.3 0 0"/>
 <body pos="0.3 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.4"/><site name="tip" pos="0.1 0 -0.4"/></body></body>
</worldbody><equality><connect site1="tip" site2="hook" {softness}/></equality></mujoco>"""

WELDS = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.03"/></default><worldbody><site name="post" pos="-0.4 0 1" euler="20 0 0"/>
<body name="a" pos="0 0 1"><joint type="ball"/><geom fromto="0 0 0 0.3 0 0" mass="1"/>
 <body name="b" pos="0.3 0 0" euler="0 20 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.4" mass="0.5"/></body></body>
<body name="c" pos="0.6 0.1 0.8" euler="30 0 40"><freejoint/><geom type="box" size="0.1 0.05 0.08" mass="0.7"/></body>
<body name="d" pos="-0.3 0.2 1"><freejoint/><geom type="box" size="0.1 0.05 0.08" pos="0.02 0 0" mass="0.4"/><site name="grip" pos="0 0.05 0"/></body></worldbody>
<equality><weld body1="b" body2="c" anchor="0.05 0 0.1" torquescale="0.3" {softness}/><weld site1="grip" site2="post" {softness}/>
<weld body1="d" body2="c" relpose="0.7 0.1 -0.1 0.9 0.1 0.2 0.1" {softness}/></equality></mujoco>"""

GEAR = """<mujoco><option timestep="0.001" integrator="Euler"/>
<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default><worldbody>
<body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0" ref="10" armature="0.01"/><geom fromto="0 0 0 0.3 0 0"/></body>
<body name="b" pos="0 1 0"><joint name="jb" axis="0 1 0" ref="-20"/><geom fromto="0 0 0 0.2 0 -0.4"/>
 <body pos="0.2 0 -0.4"><joint name="jc" type="slide" axis="1 0 0"/><geom fromto="0 0 0 0.2 0 0"/></body></body></worldbody>
<equality><joint joint1="ja" joint2="jb" polycoef="0.1 2 0.3 -0.1 0.05" {softness}/>
<joint joint1="jc" polycoef="0.05" {softness}/></equality></mujoco>"""

# Tendons of all kinds: sums of joints; around spheres and a cylinder, with and without a side; pulleys; a free body at one end.
TENDONS = """<mujoco><option timestep="0.001" integrator="{integrator}"/>
<default><geom contype="0" conaffinity="0"/><tendon damping="0.4"/></default><worldbody>
<geom name="ball" size="0.12" pos="0.3 0.05 0.9"/><geom name="roll" type="cylinder" size="0.1 0.3" pos="0.5 0.1 1.2" euler="70 20 0"/>
<site name="post" pos="0 -0.2 1.3"/><site name="above" pos="0.3 0.05 1.2"/><site name="aside" pos="0.5 0.1 0.9"/>
<body pos="0 0 1"><joint name="a" type="ball"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
 <site name="upper" pos="0.2 0.1 0.05"/><geom name="elbow" size="0.06" pos="0.4 0 0" mass="0.2"/>
 <body pos="0.4 0 0"><joint name="b" axis="0 1 0" ref="10"/><geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.02" mass="1"/>
  <site name="lower" pos="0.3 0.02 0.15"/></body></body>
<body pos="0.7 0 1.4"><joint name="c" type="slide" axis="1 2 3"/><geom size="0.05" mass="0.6"/><site name="cart"/></body>
<body pos="0.8 0.3 1"><freejoint/><geom type="box" size="0.1 0.05 0.08" mass="0.7"/><site name="loose" pos="0.05 0.02 0.01"/></body>
</worldbody><tendon>
<fixed name="sum" stiffness="20" springlength="0.1 0.3"><joint joint="b" coef="1.5"/><joint joint="c" coef="-2"/></fixed>
<spatial name="plain" stiffness="30"><site site="post"/><site site="upper"/><site site="loose"/></spatial>
<spatial name="around" stiffness="40" springlength="0.2"><site site="post"/><geom geom="ball"/><site site="cart"/></spatial>
<spatial name="sided"><site site="post"/><geom geom="ball" sidesite="above"/><site site="upper"/><geom geom="elbow"/><site site="lower"/></spatial>
<spatial name="rolled"><site site="post"/><geom geom="roll" sidesite="aside"/><site site="cart"/><geom geom="roll"/><site site="loose"/></spatial>
<spatial name="block"><site site="post"/><site site="upper"/><pulley divisor="2"/><site site="upper"/><site site="lower"/><pulley divisor="3"/>
 <site site="post"/><geom geom="roll"/><site site="lower"/></spatial></tendon>
<actuator><motor tendon="around" gear="2"/><position tendon="sided" kp="50" kv="3"/><position tendon="sum" kp="30" dampratio="0.7"/>
<velocity tendon="block" kv="2" forcerange="-1 1"/></actuator></mujoco>"""

# An arm of three links; every tendon goes along its one chain.
SINEWS = """<mujoco><option timestep="0.001" integrator="{integrator}"/>
<default><geom contype="0" conaffinity="0"/><joint armature="0.05"/><tendon damping="0.4"/></default><worldbody><site name="post" pos="0 -0.2 1.3"/>
<body pos="0 0 1"><joint name="a" type="ball"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
 <geom name="elbow" type="cylinder" size="0.06 0.1" pos="0.4 0 0" euler="90 0 0" mass="0.2"/><site name="upper" pos="0.2 0.03 0.05"/>
 <body pos="0.4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.02" mass="1"/>
  <body pos="0.3 0 0.1"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.02" mass="0.3"/>
   <site name="hand" pos="0.1 0.02 0"/></body></body></body>
</worldbody><tendon><fixed name="sum" stiffness="20" springlength="0.1 0.3"><joint joint="b" coef="1.5"/><joint joint="c" coef="-2"/></fixed>
<spatial name="bow" stiffness="40"><site site="post"/><site site="hand"/></spatial>
<spatial name="bend"><site site="upper"/><geom geom="elbow"/><site site="hand"/></spatial></tendon>
<actuator><motor tendon="bow" gear="0.3"/><position tendon="bend" kp="50" kv="3"/><position tendon="sum" kp="30" dampratio="0.7"/>
<velocity tendon="bow" kv="2" forcerange="-1 1"/></actuator></mujoco>"""

# A box that spins freely, and an arm with a spring, dampers and a ball joint; nothing touches anything.
MOTION = """<mujoco><option timestep="0.001" integrator="{integrator}"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="1"/></body>
<body pos="3 0 2"><joint axis="0 1 0" damping="0.3" stiffness="20"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" mass="1"/>
<body pos="0.5 0 0"><joint type="ball" damping="0.05"/><geom type="box" size="0.05 0.1 0.2" pos="0 0 -0.2" mass="0.7"/></body></body>
</worldbody><keyframe><key name="home" qvel="0 0 0 3 5 -2 2 3 4 -5"/></keyframe></mujoco>"""


# Bodies that weigh less than they should; a free one rises.
AIRY = """<mujoco><option timestep="0.001" integrator="{integrator}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1" gravcomp="0.4"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
 <body pos="0.3 0 0" gravcomp="1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.03" mass="0.7"/></body></body>
<body pos="2 0 1" gravcomp="1.3"><freejoint/><geom type="box" size="0.1 0.2 0.05" pos="0.1 0.05 0" mass="1"/></body>
</worldbody></mujoco>"""

# Pairs against what masks, families and exclusions say.
PAIRS = """<mujoco><default><pair friction="0.9"/></default><worldbody><geom name="floor" type="plane" size="2 2 1" contype="0" conaffinity="0"/>
<body name="a" pos="0 0 0.09"><freejoint/><geom name="ball" size="0.1" contype="0" conaffinity="0"/>
 <body name="b" pos="0.15 0 0"><joint axis="0 1 0"/><geom name="child" size="0.1"/></body></body>
<body name="c" pos="0 0.17 0.09"><freejoint/><geom name="out" size="0.1"/></body>
<body name="d" pos="0 -1 0.09"><freejoint/><geom name="lost" size="0.1"/></body></worldbody>
<contact><pair geom1="ball" geom2="floor" condim="4"/><pair geom1="child" geom2="ball"/><pair geom1="out" geom2="ball"/><exclude body1="a" body2="c"/>
</contact></mujoco>"""

# Bodies in a medium that streams: boxes of inertia, ellipsoids of every kind of geom; and a chain for whole steps.
SWIMMERS = """<mujoco><option density="{density}" viscosity="{viscosity}" wind="0.3 -0.2 0.5" gravity="0 0 -3" timestep="0.001"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><freejoint/><geom type="capsule" size="0.05" fromto="0 0 0 0.3 0.1 0.05"/>
 <body pos="0.3 0.1 0.05"><joint axis="0 1 0.3"/><geom type="box" size="0.1 0.03 0.05" pos="0.1 0 0" {shape}/>
  <geom type="sphere" size="0.04" pos="0.2 0 0.02" {shape}/>
  <body pos="0.2 0 0"><joint type="ball"/><geom type="cylinder" size="0.03 0.1" {shape} pos="0 0 0.1" euler="20 30 0"/></body></body></body>
<body pos="2 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.05" euler="10 20 30" {shape}/></body>
<body pos="3 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.05" pos="0.1 0.02 0" {shape}/>
 <geom type="capsule" size="0.1 0.2" pos="-0.1 0.02 0.3" {shape}/></body>
<body pos="4 0 1"><freejoint/><geom type="cylinder" size="0.1 0.2" euler="30 10 70"/></body>
</worldbody></mujoco>"""
EEL = """<mujoco><option integrator="{integrator}" density="1000" viscosity="0.5" wind="0.3 -0.2 0.5" timestep="0.001"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><joint type="slide" axis="1 2 3"/><joint type="ball"/><geom type="capsule" size="0.05" fromto="0 0 0 0.3 0.1 0.05"/>
 <body pos="0.3 0.1 0.05"><joint axis="0 1 0.3"/><geom type="box" size="0.1 0.03 0.05" pos="0.1 0 0"/><geom size="0.04" pos="0.2 0 0.02"/>
  <body pos="0.2 0 0"><joint type="ball"/><geom type="cylinder" size="0.03 0.1" pos="0 0 0.1" euler="20 30 0"/></body></body></body>
</worldbody></mujoco>"""

# Muscles on joints and a tendon, parts of their laws mixed with others, cranks; and ways around things with sides, inside and out.
MUSCLES = """<mujoco><option timestep="0.002" integrator="{integrator}"/><default><geom contype="0" conaffinity="0"/>
<default class="slow"><muscle timeconst="0.02 0.05" range="0.7 1.1"/></default></default>
<worldbody><site name="post" pos="0 -0.2 1.3"/><site name="rail" pos="0.5 0.3 1" euler="20 40 0"/>
<body pos="0 0 1"><joint name="j" axis="0 1 0" range="-60 70" armature="0.01"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
 <site name="s" pos="0.2 0 0.05"/><body pos="0.3 0 0"><joint name="k" axis="0 1 0.2" range="-80 10" armature="0.02"/>
  <geom name="elbow" size="0.04"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="t" pos="0.1 0 0.05"/></body></body></worldbody>
<tendon><spatial name="b"><site site="post"/><site site="s"/><geom geom="elbow"/><site site="t"/></spatial></tendon>
<actuator><muscle joint="j" lengthrange="-1 1.3"/>
<muscle class="slow" tendon="b" lengthrange="0.2 0.6" tausmooth="0.3" lmin="0.4" fvmax="1.4"/>
<muscle tendon="b" force="30" lengthrange="0.3 0.5" gear="2"/><muscle joint="k" gear="-1.5" lengthrange="-1 2" vmax="3" scale="30"/>
<general dyntype="muscle" biastype="affine" dynprm="0.1 0.2 0" gainprm="3" biasprm="0 -1 -0.1" joint="k"/>
<general dyntype="integrator" gaintype="muscle" gainprm="0.7 1.2 100 1 0.4 1.7 2 1 1.3" lengthrange="-1 1" joint="j" actrange="0 1"/>
<motor cranksite="t" slidersite="rail" cranklength="0.7" gear="1.3"/>
<position cranksite="s" slidersite="rail" cranklength="0.9" kp="20" kv="2"/></actuator></mujoco>"""
WAYS = """<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody><geom name="ball" size="0.2"/>
<geom name="roll" type="cylinder" size="0.15 0.3" euler="70 20 0"/><site name="in" pos="0.03 0.02 0.1"/>
<site name="out" pos="0.3 0.1 -0.05"/><site name="edge" pos="-0.21 0.1 0.2"/>
<body pos="0.3 0 0"><freejoint/><geom size="0.01"/><site name="a"/></body><body pos="-0.3 0 0"><freejoint/><geom size="0.01"/><site name="b"/></body>
</worldbody><tendon>{tendons}</tendon></mujoco>"""

# Springs and dampers that are not linear, of joints and of a tendon.
CURVES = """<mujoco><option timestep="0.002" integrator="{integrator}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" stiffness="3 5 7" damping="0.1 0.2 0.3" springref="20"/>
 <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/><body pos="0.3 0 0">
 <joint name="b" type="slide" axis="1 0 0" stiffness="0 50 80" damping="0 1 2" armature="0.1"/><geom size="0.05" mass="1"/></body></body></worldbody>
<tendon><fixed stiffness="1 2 300" damping="0.1 .2 .3" springlength="-0.1 0.2"><joint joint="a" coef="0.7"/><joint joint="b" coef="2"/></fixed></tendon>
<keyframe><key name="home" qpos="1 0.3" qvel="2 -3"/></keyframe></mujoco>"""

# What turns in actuators damps, in more than a linear way, and a tendon bounds who pulls at it.
ROTORS = """<mujoco><option timestep="0.002" integrator="{integrator}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" armature="0.01"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/>
 <body pos="0.3 0 0"><joint name="b" type="slide" axis="1 0 0" armature="0.1"/><geom size="0.05" mass="1"/></body></body></worldbody>
<tendon><fixed name="t" actuatorfrcrange="-2 1"><joint joint="a" coef="0.7"/><joint joint="b" coef="2"/></fixed></tendon>
<actuator><motor joint="a" gear="-3" damping="0.1 0.2 0.3" armature="0.02"/><motor tendon="t" gear="2" damping="0.1 0.4 0.5"/></actuator>
<keyframe><key name="home" qpos="1 0.3" qvel="2 -3" ctrl="1 -5"/></keyframe></mujoco>"""

# Balls on and under a plate that sticks; one is too heavy, one slides.
STICKY = """<mujoco><option timestep="0.001" integrator="Euler" cone="elliptic" gravity="0 0 -10"/><worldbody>
<geom type="box" size="1 1 0.1" pos="0 0 1.1" adhesion="4"/>
<body pos="0 0 0.9005"><freejoint/><geom size="0.1" mass="0.5" adhesion="3" condim="4"/></body>
<body pos="0.5 0 0.9005"><freejoint/><geom size="0.1" mass="1.2" adhesion="2"/></body>
<body pos="-0.5 0 1.2995"><freejoint/><geom size="0.1" mass="0.5" adhesion="2" friction="0.3"/></body></worldbody>
<keyframe><key name="home" qvel="0.1 0 0 0 0 0 0 0 0 0 0 0 0.5 0 0 0 0 0"/></keyframe></mujoco>"""

# Running surfaces: a belt under balls, a turntable under one that resists spinning, a tracked ball that drives itself.
BELTS = """<mujoco><option timestep="0.001" integrator="Euler" cone="elliptic"/><worldbody>
<geom type="box" size="1 1 0.1" pos="0 0 -0.1" euler="0 0 30" surfacevel="0.7 -0.2 0.3 0 0 2"/>
<body pos="0.4 0.1 0.0995"><freejoint/><geom size="0.1" condim="4" friction="0.6 0.02"/></body>
<body pos="-0.3 0.5 0.0995" euler="20 30 0"><freejoint/><geom size="0.1" surfacevel="0.4 0.1 0.2 1 2 3" friction="0.3" condim="6"/></body>
</worldbody></mujoco>"""


QUIET = '<default><geom contype="0" conaffinity="0" type="capsule" size="0.02"/></default>'

# A hinge, a ball joint and a slide run into their ends.
STOPS = (
    '<mujoco><option timestep="0.001" integrator="Euler"/>' + QUIET + """<worldbody>
<body pos="0 0 1"><joint axis="0 1 0" range="-20 30" limited="true" {softness}/><geom fromto="0 0 0 0.3 0 0"/>
 <body pos="0.3 0 0"><joint type="ball" range="0 15" limited="true" {softness}/><geom fromto="0 0 0 0.1 0 -0.4"/>
  <body pos="0.1 0 -0.4"><joint type="slide" axis="0 0 1" range="-0.05 0.05" limited="true" {softness}/>
   <geom fromto="0 0 0 0.1 0.1 0"/></body></body></body></worldbody>
<keyframe><key name="home" qvel="1 0.5 2 0.3 0.2"/></keyframe></mujoco>"""
)

# Two arms and a free body on tendons; {rope} says what those do.
ROPES = (
    '<mujoco><option timestep="0.001" integrator="Euler"/>' + QUIET + """<worldbody><site name="p" pos="0 0 2"/>
<body pos="0 0 1"><joint axis="0 1 0" {joint}/><geom fromto="0 0 0 0.3 0 0"/>
 <body pos="0.3 0 0"><joint type="ball" {ball}/><geom fromto="0 0 0 0.1 0 -0.4"/><site name="q" pos="0.1 0 -0.4"/></body></body>
<body pos="1 0 1"><freejoint/><geom fromto="0 0 0 0.1 0.1 0.2"/><site name="r" pos="0.1 0.1 0.2"/></body></worldbody>
<tendon><spatial {rope1} {softness}><site site="p"/><site site="q"/></spatial>
<spatial {rope2} {softness}><site site="q"/><site site="r"/></spatial></tendon></mujoco>"""
)

# A ball on a plane, with margins.
TOUCH = """<mujoco><option timestep="0.001" integrator="Euler"/><worldbody><geom name="f" type="plane" size="2 2 1" {plane}/>
<body pos="0 0 0.13"><freejoint/><geom name="b" size="0.1" condim="{rows}" {ball}/></body></worldbody>{pair}
<keyframe><key name="home" qvel="0.3 0.1 -0.5 1 2 3"/></keyframe></mujoco>"""


def theirs(text, steps):
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance = 1e-16
    model.opt.iterations = 200
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    acceleration = data.qacc.copy()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return acceleration, data.qpos.copy()


def ours(text, steps, solver):
    with touchstone.World(mjcf=text, solver=solver) as world:
        world.set("tolerance", 1e-11)
        world.step(1)
        acceleration = world.qvel / world.time
        world.step(steps - 1)
        return acceleration, world.qpos.copy()


def knows_curvature():
    """From version 4 on a connection's acceleration is asked for less (dJ/dt) v, as it is here."""
    return int(mujoco.__version__.split(".")[0]) >= 4


def robots():
    """Model files below TOUCHSTONE_DATA/robots that both can load here: some come without their meshes."""
    folder = os.path.join(os.environ.get("TOUCHSTONE_DATA", ""), "robots")
    for path in sorted(glob.glob(os.path.join(folder, "*", "**", "*.xml"), recursive=True)):
        try:
            model = mujoco.MjModel.from_xml_path(path)
            world = touchstone.World(path)
        except (ValueError, touchstone.TouchstoneError):
            continue
        with world:
            if len(world.qpos) == model.nq:
                yield os.path.relpath(path, folder), model, world


def carlson_rd(x, y, z):
    """R_D by duplication until the three agree to rounding."""
    total, factor = 0.0, 1.0
    while max(abs(x - z), abs(y - z)) > 1e-15 * z and factor > 1e-30:
        step = (x * y) ** 0.5 + (y * z) ** 0.5 + (z * x) ** 0.5
        total += factor / (z**0.5 * (z + step))
        factor, x, y, z = factor / 4, (x + step) / 4, (y + step) / 4, (z + step) / 4
    return 3 * total + factor / z**1.5


def mend_added_masses(model):
    """MuJoCo sums an integral by 15 points; here it is closed."""
    kind = mujoco.mjtGeom
    halves = {
        int(kind.mjGEOM_SPHERE): lambda a, b, c: (a, a, a),
        int(kind.mjGEOM_CAPSULE): lambda a, b, c: (a, a, a + b),
        int(kind.mjGEOM_CYLINDER): lambda a, b, c: (a, a, b),
    }
    for g in range(model.ngeom):
        if model.geom_fluid[g, 0] == 0:
            continue
        r = numpy.array(halves.get(int(model.geom_type[g]), lambda *size: size)(*model.geom_size[g]))
        volume = 4 / 3 * numpy.pi * r.prod()
        kappa = [2 / 3 * r.prod() * carlson_rd(r[(i + 1) % 3] ** 2, r[(i + 2) % 3] ** 2, r[i] ** 2) for i in range(3)]
        for i in range(3):
            p, q, between = r[(i + 1) % 3] ** 2, r[(i + 2) % 3] ** 2, kappa[(i + 1) % 3] - kappa[(i + 2) % 3]
            below = abs(2 * (p - q) + (p + q) * between)
            model.geom_fluid[g, 6 + i] = volume * kappa[i] / (2 - kappa[i])
            model.geom_fluid[g, 9 + i] = volume / 5 * (p - q) ** 2 * abs(between) / below if below > 1e-14 * r.prod() else 0


def touches_inside(model):
    """Whether some tendon has a side within the geom that it passes."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for i in range(model.nwrap):
        geom, site = model.wrap_objid[i], int(model.wrap_prm[i])
        around = int(model.wrap_type[i]) in (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))
        if around and site >= 0 and numpy.linalg.norm(data.site_xpos[site] - data.geom_xpos[geom]) < model.geom_size[geom, 0]:
            return True
    return False


def random_state(model, data, rng):
    """Any state within the limits of joints."""
    mujoco.mj_resetData(model, data)
    for j in range(model.njnt):
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                data.qpos[at : at + 3] += 0.2 * rng.normal(size=3)
                at += 3
            quaternion = rng.normal(size=4)
            data.qpos[at : at + 4] = quaternion / numpy.linalg.norm(quaternion)
        else:
            data.qpos[at] = rng.uniform(*model.jnt_range[j]) if model.jnt_limited[j] else rng.uniform(-1, 1)
    data.qvel[:] = rng.normal(size=model.nv)
    data.ctrl[:] = rng.normal(size=model.nu)
    data.act[:] = rng.uniform(size=model.na)


class AgainstMujoco(unittest.TestCase):
    def follow(self, text, softness, steps, tolerance):
        text = text.format(softness=softness)
        _, there = theirs(text, steps)
        _, here = ours(text, steps, "mujoco")
        numpy.testing.assert_allclose(here, there, rtol=0, atol=tolerance)
        self.assertGreater(numpy.abs(here - ours(text, 1, "mujoco")[1]).max(), 0.05, "it must have moved")

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 leaves (dJ/dt) v out")
    def test_connections_as_soft_as_the_model_says(self):
        for text in (PENDULUM, LOOP, SITES):
            for softness in (STIFF, SOFT, 'solref="-4000 -50"'):
                with self.subTest(text=text[60:90], softness=softness):
                    self.follow(text, softness, 300, 1e-9)

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 leaves (dJ/dt) v out")
    def test_welds_as_soft_as_the_model_says(self):
        for softness in (SOFT, 'solref="-4000 -50"'):
            with self.subTest(softness=softness):
                self.follow(WELDS, softness, 300, 1e-9)

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 has no running surfaces")
    def test_surfaces_that_run(self):
        self.follow(BELTS, "", 200, 1e-9)

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 has no surfaces that stick")
    def test_surfaces_that_stick(self):
        model = mujoco.MjModel.from_xml_string(STICKY)
        model.opt.tolerance, model.opt.iterations = 1e-16, 200
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_step(model, data, 100)
        with touchstone.World(mjcf=STICKY, solver="mujoco") as world:
            world.set("tolerance", 1e-11)
            world.step(100)
            numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-9)

    def test_gears_as_soft_as_the_model_says(self):
        for softness in (STIFF, SOFT, ""):
            with self.subTest(softness=softness):
                self.follow(GEAR, softness, 300, 1e-9)

    def test_limits_as_soft_as_the_model_says(self):
        for softness in ("", 'solreflimit="0.05 0.7" solimplimit="0.7 0.9 0.05 0.4 3"', 'solreflimit="-500 -10"', 'margin="0.03"'):
            with self.subTest(softness=softness):
                self.follow(STOPS, softness, 400, 1e-11)

    def ropes(self, joint="", ball="", rope1="", rope2=""):
        return ROPES.replace("{joint}", joint).replace("{ball}", ball).replace("{rope1}", rope1).replace("{rope2}", rope2)

    def test_limits_of_tendons_as_soft_as_the_model_says(self):
        text = self.ropes(rope1='range="0.9 1.3" limited="true"', rope2='range="0 1.1" limited="true"')
        for softness in ("", 'solreflimit="0.05 0.7" solimplimit="0.7 0.9 0.05 0.4 3"', 'margin="0.05" solreflimit="-500 -10"'):
            with self.subTest(softness=softness):
                self.follow(text, softness, 400, 1e-11)

    def test_dry_friction_as_soft_as_the_model_says(self):
        for softness in ("", 'solreffriction="0.1 1" solimpfriction="0.5 0.9 0.01 0.5 2"'):
            with self.subTest(softness=softness):
                text = self.ropes('frictionloss="0.4" ' + softness, 'frictionloss="0.05" ' + softness, 'frictionloss="0.5"')
                self.follow(text, softness, 400, 1e-11)

    def test_margins_and_gaps_of_geoms_and_pairs(self):
        for rows in (1, 3, 6):
            pair = (
                f'<contact><pair geom1="f" geom2="b" condim="{rows}" margin="0.02" gap="0.01" solref="0.05 1" '
                'solreffriction="0.3 1"/></contact>'
            )
            for plane, ball, extra in (
                ('margin="0.02"', 'margin="0.01" gap="0.05"', ""),
                ('margin="0.02"', 'margin="0.01" solref="0.03 0.5" solimp="0.6 0.9 0.02"', ""),
                ("", "", pair),
            ):
                with self.subTest(rows=rows, ball=ball, pair=extra):
                    text = TOUCH.replace("{plane}", plane).replace("{ball}", ball)
                    self.follow(text.replace("{rows}", str(rows)).replace("{pair}", extra), "", 400, 1e-9)

    def compare_forces(self, model, world, states, seed):
        """Lengths, rates and forces of tendons and actuators at random states. Of ways that touch from within only lengths are exact in MuJoCo."""
        data, rng = mujoco.MjData(model), numpy.random.default_rng(seed)
        tolerance = 1e-4 if touches_inside(model) else 1e-11
        for _ in range(states):
            random_state(model, data, rng)
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_fwdActuation(model, data)
            world.qpos, world.qvel, world.ctrl, world.act = data.qpos, data.qvel, data.ctrl, data.act
            world.forward()
            for here, there in (
                (world.tendon_length, data.ten_length),
                (world.tendon_velocity, data.ten_velocity),
                (world.actuator_length, data.actuator_length),
                (world.actuator_velocity, data.actuator_velocity),
                (world.actuator_force, data.actuator_force),
                (world.force_actuator, data.qfrc_actuator),
            ):
                numpy.testing.assert_allclose(here, there, rtol=tolerance, atol=tolerance)

    def test_tendons_and_their_actuators_at_random_states(self):
        text = TENDONS.format(integrator="Euler")
        with touchstone.World(mjcf=text) as world:
            self.compare_forces(mujoco.MjModel.from_xml_string(text), world, 1000, 1)

    def test_muscles_and_cranks_at_random_states(self):
        text = MUSCLES.format(integrator="Euler")
        with touchstone.World(mjcf=text) as world:
            self.compare_forces(mujoco.MjModel.from_xml_string(text), world, 300, 5)

    def test_muscles_move_things(self):
        for integrator in ("Euler", "RK4", "implicit", "implicitfast"):
            with self.subTest(integrator=integrator):
                text = MUSCLES.format(integrator=integrator)
                model = mujoco.MjModel.from_xml_string(text)
                data = mujoco.MjData(model)
                data.ctrl[:] = [0.5, 0.8, 0.3, 0.6, 0.4, 0.2, 0.5, 0.3]
                data.qpos[:] = [0.1, -0.3]
                with touchstone.World(mjcf=text) as world:
                    world.qpos, world.ctrl = data.qpos, data.ctrl
                    mujoco.mj_step(model, data, 60)
                    world.step(60)
                    numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-11)
                    numpy.testing.assert_allclose(world.act, data.act, rtol=0, atol=1e-11)

    @unittest.skipUnless(knows_curvature(), "sides mean what they do since MuJoCo 4")
    def test_ways_around_things(self):
        """Where a way touches from within, MuJoCo stops at 1e-6 of the angle, which its moments show."""
        for geom in ("ball", "roll"):
            for side in ("", "out", "edge", "in"):
                with self.subTest(geom=geom, side=side):
                    part = f'<geom geom="{geom}"' + (f' sidesite="{side}"/>' if side else "/>")
                    text = WAYS.format(tendons=f'<spatial><site site="a"/>{part}<site site="b"/></spatial>')
                    model = mujoco.MjModel.from_xml_string(text)
                    data, rng = mujoco.MjData(model), numpy.random.default_rng(6)
                    with touchstone.World(mjcf=text) as world:
                        for _ in range(500):
                            data.qpos[:3], data.qpos[7:10] = 0.35 * rng.normal(size=(2, 3))
                            data.qvel[:] = rng.normal(size=model.nv)
                            mujoco.mj_forward(model, data)
                            world.qpos, world.qvel = data.qpos, data.qvel
                            world.forward()
                            numpy.testing.assert_allclose(world.tendon_length, data.ten_length, rtol=0, atol=1e-11)
                            rough = 1e-4 if side == "in" else 1e-11
                            numpy.testing.assert_allclose(world.tendon_velocity, data.ten_velocity, rtol=0, atol=rough)

    @unittest.skipUnless(os.environ.get("TOUCHSTONE_DATA"), "TOUCHSTONE_DATA is not set")
    def test_robots_at_random_states(self):
        compared = 0
        for name, model, world in robots():
            if len(world.ctrl) == model.nu and len(world.act) == model.na:
                with self.subTest(robot=name):
                    self.compare_forces(model, world, 100, 2)
                    compared += 1
        self.assertGreater(compared, 0)

    def test_tendons_move_things(self):
        """What pulls at several trees, or along several chains, is compared where it acts as it is when the step begins."""
        for name, text in (("Euler", TENDONS), ("RK4", TENDONS), ("Euler", SINEWS), ("RK4", SINEWS), ("implicit", SINEWS), ("implicitfast", SINEWS)):
            with self.subTest(integrator=name, text=text[130:160]):
                text = text.format(integrator=name)
                model = mujoco.MjModel.from_xml_string(text)
                data = mujoco.MjData(model)
                data.ctrl[:] = [0.5, 0.6, 0.1, 0.4]
                mujoco.mj_step(model, data, 200)
                with touchstone.World(mjcf=text) as world:
                    start = world.qpos
                    world.ctrl = data.ctrl
                    world.step(200)
                    numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-9)
                    self.assertGreater(numpy.abs(world.qpos - start).max(), 0.05, "it must have moved")

    @unittest.skipUnless(knows_curvature(), "MuJoCo before version 4 knows linear springs and dampers only")
    def test_springs_and_dampers_that_are_not_linear(self):
        for name in ("Euler", "RK4", "implicit", "implicitfast"):
            with self.subTest(integrator=name):
                for text in (CURVES.format(integrator=name), ROTORS.format(integrator=name)):
                    model = mujoco.MjModel.from_xml_string(text)
                    data = mujoco.MjData(model)
                    mujoco.mj_resetDataKeyframe(model, data, 0)
                    mujoco.mj_step(model, data, 300)
                    with touchstone.World(mjcf=text) as world:
                        world.step(300)
                        numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-12)

    def test_bodies_that_weigh_less(self):
        for name in ("Euler", "RK4", "implicit"):
            with self.subTest(integrator=name):
                text = AIRY.format(integrator=name)
                model = mujoco.MjModel.from_xml_string(text)
                data = mujoco.MjData(model)
                mujoco.mj_step(model, data, 300)
                with touchstone.World(mjcf=text) as world:
                    energy = world.report.kinetic + world.report.potential
                    world.step(300)
                    numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-11)
                    if name == "RK4":
                        self.assertAlmostEqual(world.report.kinetic + world.report.potential, energy, delta=1e-9)

    def compare_fluid(self, model, world, states, seed, tolerance):
        data, rng = mujoco.MjData(model), numpy.random.default_rng(seed)
        for _ in range(states):
            random_state(model, data, rng)
            mujoco.mj_forward(model, data)
            world.qpos, world.qvel = data.qpos, data.qvel
            world.forward()
            numpy.testing.assert_allclose(world.force_fluid, data.qfrc_fluid, rtol=0, atol=tolerance * numpy.abs(data.qfrc_fluid).max())

    def test_a_medium_at_random_states(self):
        ellipsoid = 'fluidshape="ellipsoid" fluidcoef="0.4 0.3 1.2 0.9 1.1"'
        for density, viscosity in ((0, 2), (1000, 0), (1000, 2)):
            for shape in ("", ellipsoid):
                with self.subTest(density=density, viscosity=viscosity, shape=shape):
                    text = SWIMMERS.format(density=density, viscosity=viscosity, shape=shape)
                    model = mujoco.MjModel.from_xml_string(text)
                    mend_added_masses(model)
                    text = text.replace("<option", '<option integrator="Euler"')
                    with touchstone.World(mjcf=text) as world:
                        self.compare_fluid(model, world, 100, 3, 1e-12)

    def test_a_medium_slows_an_eel(self):
        for integrator in ("Euler", "RK4", "implicit", "implicitfast"):
            with self.subTest(integrator=integrator):
                text = EEL.format(integrator=integrator)
                model = mujoco.MjModel.from_xml_string(text)
                data = mujoco.MjData(model)
                mujoco.mj_step(model, data, 200)
                with touchstone.World(mjcf=text) as world:
                    world.step(200)
                    numpy.testing.assert_allclose(world.qpos, data.qpos, rtol=0, atol=1e-11)

    @unittest.skipUnless(os.environ.get("TOUCHSTONE_DATA"), "TOUCHSTONE_DATA is not set")
    def test_robots_in_a_medium(self):
        for name, model, world in robots():
            if model.opt.density > 0 or model.opt.viscosity > 0:
                with self.subTest(robot=name):
                    world.set("integrator", "Euler")
                    mend_added_masses(model)
                    self.compare_fluid(model, world, 100, 4, 1e-9)

    def test_contact_pairs(self):
        model = mujoco.MjModel.from_xml_string(PAIRS)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        there = sorted(tuple(sorted(pair)) for pair in data.contact.geom.tolist())
        with touchstone.World(mjcf=PAIRS) as world:
            world.forward()
            world.step(1)
            here = sorted(tuple(sorted(pair)) for pair in world.contacts.geoms.tolist())
            self.assertEqual(here, there)
            self.assertEqual(len(here), 3)

    def test_integrators(self):
        """But for the spin of a lone body under implicitfast, which keeps its energy here."""
        names = ["Euler", "RK4", "implicit", "implicitfast"] + (["discrete"] if knows_curvature() else [])
        for name in names:
            with self.subTest(integrator=name):
                model = mujoco.MjModel.from_xml_string(MOTION.format(integrator=name))
                data = mujoco.MjData(model)
                mujoco.mj_resetDataKeyframe(model, data, 0)
                for _ in range(500):
                    mujoco.mj_step(model, data)
                with touchstone.World(mjcf=MOTION.format(integrator=name)) as world:
                    world.step(500)
                    first = 7 if name == "implicitfast" else 0
                    numpy.testing.assert_allclose(world.qpos[first:], data.qpos[first:], rtol=0, atol=1e-12)

    def test_hard_equalities_against_stiff_ones(self):
        """From rest, where curvature plays no part: the first step's acceleration to the 1e-4 that impedance 0.9999 leaves. SITES
        starts apart and GEAR off its curve: MuJoCo pulls them together at once, we at our own rate."""
        for text in (PENDULUM, LOOP):
            with self.subTest(text=text[60:90]):
                text = text.format(softness=STIFF)
                there, there_later = theirs(text, 100)
                here, here_later = ours(text, 100, "ncp")
                numpy.testing.assert_allclose(here, there, rtol=0, atol=1e-3 * numpy.abs(there).max())
                numpy.testing.assert_allclose(here_later, there_later, rtol=0, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
