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
    TS_ACTIVATION_COUNT
} ts_activation;

/// Bounds that hold where `limited`.
typedef struct ts_limits {
    int limited;
    double range[2];
} ts_limits;

/// Numbers of a gear: along three axes, about three axes.
enum { TS_GEAR_SIZE = 6 };

/// An actuator.
typedef struct ts_actuator {
    const char* name;
    int transmission;           // what it pulls on: see ts_transmission_name
    int target;                 // the joint, tendon or site of the transmission
    int reference;              // the site that a site is measured against, or -1
    double gear[TS_GEAR_SIZE];  // length per unit of what is measured; the first where that is one number
    double gain[3];             // N or N m per unit of the control, and its slopes
    double bias[3];             // N or N m, and its slopes by length and rate
    ts_activation activation;
    double time_constant;  // s, of a filter
    int act;               // its number among the activations, or -1
    int act_early;         // nonzero: the force is of the activation at the end of the step
    int active;            // 0: it pulls at nothing
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

/// "none", "integrator", "filter", "filterexact".
const char* ts_activation_name(ts_activation activation);

#ifdef __cplusplus
}
#endif
#endif
