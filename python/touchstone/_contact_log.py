"""Logs of contacts, to be judged: `touchstone judge FILE` certifies every contact of every step, whichever engine made it."""

import numpy

_COLUMNS = "step,time,dt,a,b,x,y,z,tx,ty,tz,nx,ny,nz,gap,mu,jx,jy,jz,vx,vy,vz\n"


def _name(text):
    return "".join("_" if c in ',"\r\n' else c for c in str(text))


class ContactLog:
    """Writes a log of contacts, step by step:

        with touchstone.ContactLog("contacts.csv") as log:
            while data.time < 1:
                mujoco.mj_step(model, data)
                log.mujoco(model, data)

    For an engine that has no method here (Pinocchio, Newton, one's own): step() once a step, then add() each of its contacts."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._file.write(_COLUMNS)
        self._steps = 0
        self._time = 0.0
        self._dt = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the file."""
        self._file.close()

    def step(self, time, dt):
        """A step of dt seconds has ended at `time`; what is added from now on belongs to it."""
        self._steps += 1
        self._time, self._dt = float(time), float(dt)

    def add(self, normal, gap, mu, impulse, velocity, a="", b="", position=(0, 0, 0), tangent=(0, 0, 0)):
        """One contact, world axes: unit normal from A to B, gap (m, when the step began), friction, impulse on B (N s: force times
        dt), velocity of B's surface against A's after the step (m/s); the tangent that a friction pyramid is along, if there is one."""
        numbers = (*position, *tangent, *normal, gap, mu, *impulse, *velocity)
        texts = [repr(float(x)) for x in numbers]
        self._file.write(f"{self._steps},{self._time!r},{self._dt!r},{_name(a)},{_name(b)},{','.join(texts)}\n")

    def mujoco(self, model, data):
        """The contacts of the mj_step that was just made: mjData holds them as they were when it began, velocities as they came out."""
        import mujoco

        dt = model.opt.timestep
        self.step(data.time, dt)
        jacobian = numpy.zeros((3, model.nv))
        force = numpy.zeros(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            if contact.efc_address < 0 or min(contact.geom) < 0:
                continue
            frame = numpy.asarray(contact.frame).reshape(3, 3)  # rows: normal, two tangents
            mujoco.mj_contactForce(model, data, i, force)
            frictional = contact.dim > 1
            velocity = numpy.zeros(3)
            names = []
            for geom, sign in zip(contact.geom, (-1.0, 1.0)):
                mujoco.mj_jac(model, data, jacobian, None, contact.pos, model.geom_bodyid[geom])
                velocity += sign * (jacobian @ data.qvel)
                names.append(model.geom(geom).name or model.body(model.geom_bodyid[geom]).name or f"geom {geom}")
            runs = getattr(contact, "surfacevel", None)
            if runs is not None:
                velocity += runs[0] * frame[1] + runs[1] * frame[2]
            push = force[0] * frame[0]
            if frictional:
                push = push + force[1] * frame[1] + force[2] * frame[2]
            self.add(frame[0], contact.dist, contact.friction[0] if frictional else 0.0, dt * push, velocity, *names,
                     position=contact.pos, tangent=frame[1])
