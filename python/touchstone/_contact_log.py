"""Logs of contacts, to be judged: `touchstone judge FILE` certifies every contact of every step, whichever engine made it."""

import os

import numpy

_COLUMNS = "step,time,dt,a,b,x,y,z,tx,ty,tz,nx,ny,nz,gap,mu,jx,jy,jz,vx,vy,vz".split(",")


def _name(text):
    return "".join("_" if c in ',"\r\n' else c for c in str(text))


class _Csv:
    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._file.write(",".join(_COLUMNS) + "\n")

    def add(self, values):
        self._file.write(",".join(v if isinstance(v, str) else repr(v) for v in values) + "\n")

    def close(self):
        self._file.close()


class _Hdf5:
    """A list for each column, at the root of the file; what is not written yet is a few thousand contacts."""

    def __init__(self, path):
        try:
            import h5py
        except ImportError as missing:
            raise ImportError(f"a log called {path} needs h5py ({missing}); call it .csv instead") from None
        self._kept = []
        self._file = h5py.File(path, "w", libver=("v108", "v108"))  # its headers carry checksums
        self._file.attrs["format"] = numpy.bytes_("touchstone contact log")
        for name in _COLUMNS:
            kind = "S64" if name in ("a", "b") else "i8" if name == "step" else "f8"
            self._file.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(1024,), compression="gzip", shuffle=True)

    def add(self, values):
        self._kept.append(values)
        if len(self._kept) == 4096:
            self._write()

    def _write(self):
        for name, values in zip(_COLUMNS, zip(*self._kept)):
            data = self._file[name]
            if name in ("a", "b"):
                values = [v.encode()[:63] for v in values]
            data.resize((len(data) + len(values),))
            data[-len(values) :] = values
        self._kept = []

    def close(self):
        if self._file:
            self._write()
            self._file.close()


def _turned(quaternion, vector):
    """The vector turned by a quaternion x, y, z, w."""
    axis = numpy.asarray(quaternion[:3])
    return vector + 2.0 * numpy.cross(axis, numpy.cross(axis, vector) + quaternion[3] * vector)


class ContactLog:
    """Writes a log of contacts, step by step, as CSV or, where it is called .h5 or .hdf5, as HDF5 (which needs h5py):

        with touchstone.ContactLog("contacts.csv") as log:
            while data.time < 1:
                mujoco.mj_step(model, data)
                log.mujoco(model, data)

    For an engine that has no method here: step() once a step, then add() each of its contacts."""

    def __init__(self, path):
        is_hdf5 = os.path.splitext(path)[1].lower() in (".h5", ".hdf5")
        self._log = (_Hdf5 if is_hdf5 else _Csv)(path)
        self._steps = 0
        self._time = 0.0
        self._dt = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Writes the rest and closes the file."""
        self._log.close()

    def step(self, time, dt):
        """A step of dt seconds has ended at `time`; what is added from now on belongs to it."""
        self._steps += 1
        self._time, self._dt = float(time), float(dt)

    def add(self, normal, gap, mu, impulse, velocity, a="", b="", position=(0, 0, 0), tangent=(0, 0, 0)):
        """One contact, world axes: unit normal from A to B, gap (m, when the step began), friction, impulse on B (N s: force times
        dt), velocity of B's surface against A's after the step (m/s); the tangent that a friction pyramid is along, if there is one."""
        numbers = (*position, *tangent, *normal, gap, mu, *impulse, *velocity)
        self._log.add((self._steps, self._time, self._dt, _name(a), _name(b), *map(float, numbers)))

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

    def pinocchio(self, model, data, constraints, constraint_data, impulses, velocity, time, dt):
        """The contacts of a step that ended at `time`: those of `constraints` that are point contacts, with data calculated when it began
        (calc), the impulses of all constraints one after the other (N s, retrieveConstraintImpulses), and the velocity that came out.
        B is what joint 2 moves; the normal is the third axis of the placement at joint 1. Needs Pinocchio 4."""
        import pinocchio

        self.step(time, dt)
        row = 0
        for constraint, kept in zip(constraints, constraint_data):
            contact = constraint.extract() if hasattr(constraint, "extract") else constraint
            values = kept.extract() if hasattr(kept, "extract") else kept
            first, row = row, row + contact.residualSize()
            if not isinstance(contact, pinocchio.PointContactConstraintModel):
                continue
            frame = values.oMc1.rotation
            slip = pinocchio.getConstraintJacobian(model, data, constraint, kept) @ velocity
            self.add(frame[:, 2], values.constraint_position_error[2], contact.getFriction(),
                     frame @ numpy.asarray(impulses[first:row]), frame @ slip, model.names[contact.joint1_id],
                     model.names[contact.joint2_id], position=values.oMc1.translation, tangent=frame[:, 0])

    def newton(self, model, before, after, contacts, force, time, dt):
        """The rigid contacts of a step of Newton (1.7 or newer) that ended at `time`: the states before and after it, the contacts that
        were found in the first, and what the solver observed as CONTACT_F. Friction of two shapes is their mean, as Newton has it."""
        import newton
        import warp

        self.step(time, dt)
        count, most = int(contacts.rigid_contact_count.numpy()[0]), contacts.rigid_contact_max
        distance = warp.zeros(most, dtype=warp.float32, device=model.device)
        points = [warp.zeros(most, dtype=warp.vec3, device=model.device) for _ in range(2)]
        newton.eval_rigid_contact_kinematics(model, before, contacts, out_distance=distance, out_point0_world=points[0],
                                             out_point1_world=points[1])
        gap, where = distance.numpy(), 0.5 * (points[0].numpy() + points[1].numpy())
        shapes = [contacts.rigid_contact_shape0.numpy(), contacts.rigid_contact_shape1.numpy()]
        normal, push, friction = contacts.rigid_contact_normal.numpy(), force.numpy(), model.shape_material_mu.numpy()
        body, pose, rate, centre = (array.numpy() for array in (model.shape_body, before.body_q, after.body_qd, model.body_com))
        for i in range(count):
            pair = [int(side[i]) for side in shapes]
            if min(pair) < 0:
                continue
            velocity = numpy.zeros(3)
            for shape, sign in zip(pair, (-1.0, 1.0)):
                k = int(body[shape])
                if k < 0:
                    continue
                arm = where[i] - pose[k][:3] - _turned(pose[k][3:], centre[k])
                velocity += sign * (rate[k][:3] + numpy.cross(rate[k][3:], arm))
            names = [model.shape_label[shape] for shape in pair]
            # The force is on the first shape's body.
            self.add(normal[i], gap[i], 0.5 * (friction[pair[0]] + friction[pair[1]]), -dt * push[i][:3], velocity, *names,
                     position=where[i])
