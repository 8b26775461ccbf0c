// Actuators of a model: what pulls, and by which law.
//
//     force = (gain[0] + gain[1] l + gain[2] l') u + bias[0] + bias[1] l + bias[2] l',   kept within `force`
//
// with l the length that its transmission measures, l' its rate, and u its control, or its activation where it has one. A motor
// has a gain only; a position servo of stiffness kp and damping kv has gain kp and bias 0 -kp -kv; a velocity servo gain kv and
// bias 0 0 -kv. The force pulls on the degrees of freedom that the length depends on, by dl/dq.
#ifndef TS_ENGINE_ACTUATOR_H
#define TS_ENGINE_ACTUATOR_H

#ifdef __cplusplus
extern "C" {
#endif

/// How an activation w follows the control u, with time constant T.
typedef enum ts_activation {
    TS_ACTIVATION_NONE,          // there is none: the control acts itself
    TS_ACTIVATION_INTEGRATOR,    // w' = u
    TS_ACTIVATION_FILTER,        // w' = (u - w) / T, by a step of Euler's
    TS_ACTIVATION_FILTER_EXACT,  // the same, exactly
    TS_ACTIVATION_MUSCLE,        // w' = (u - w) / T(u, w), by a step of Euler's: engine/actuation/muscle.c
    TS_ACTIVATION_COUNT
} ts_activation;

/// Bounds that hold where `limited`.
typedef struct ts_limits {
    int limited;
    double range[2];
} ts_limits;

/// A muscle, by its force over length, rate and activation (engine/actuation/muscle.c). Lengths are in units of that at which it is strongest.
typedef struct ts_muscle {
    double range[2];  // its lengths at the ends of the actuator's length range
    double
        force;  // N, at its strongest; of a definition < 0: `scale` over the acceleration that a unit of force makes at rest
    double scale;        // N m/s^2 or the like
    double shortest;     // it pulls at lengths from here
    double longest;      // to here
    double fastest;      // 1/s: it does not pull when it shortens faster
    double passive;      // 1: force of the muscle at rest near `longest`, per `force`
    double lengthening;  // 1: most force while it lengthens, likewise
} ts_muscle;

/// Numbers of a gear: along three axes, about three axes.
enum { TS_GEAR_SIZE = 6 };

/// An actuator.
typedef struct ts_actuator {
    const char* name;
    int transmission;  // what it pulls on: see ts_transmission_name
    int target;        // the joint, tendon, site or body of the transmission
    int reference;     // the site that a site is measured against, or on whose z axis the slider of a crank is, or -1
    double rod;        // m, from the pin of a crank to its slider
    double gear[TS_GEAR_SIZE];  // length per unit of what is measured; the first where that is one number
    double gain[3];             // N or N m per unit of the control, and its slopes
    double bias[3];             // N or N m, and its slopes by length and rate
    ts_activation activation;
    int gain_is_muscle;  // nonzero: `pull` says the gain
    int bias_is_muscle;  // nonzero: `stretch` says the bias
    ts_muscle pull, stretch;
    double length_range[2];  // m or rad: of a muscle's transmission; of a definition low >= high: to be found
    double time_constant;    // s, of a filter or a muscle that is called upon
    double rest_constant;    // s, of a muscle that is let go
    double rest_width;       // 1: controls over which one time constant becomes the other
    int act;                 // its number among the activations, or -1
    int act_early;           // nonzero: the force is of the activation at the end of the step
    int active;              // 0: it pulls at nothing
    ts_limits control;
    ts_limits force;
    ts_limits act_limits;
} ts_actuator;

/// How many kinds of transmissions there are.
int ts_transmission_count(void);

/// The name of kind i: "joint", "site", ...
const char* ts_transmission_name(int i);

/// The kind of that name, or -1.
int ts_transmission_find(const char* name);

/// "none", "integrator", "filter", "filterexact", "muscle".
const char* ts_activation_name(ts_activation activation);

#ifdef __cplusplus
}
#endif
#endif
