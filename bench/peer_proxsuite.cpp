// ProxQP (Bambade, El-Kazdadi, Taylor and Carpentier, RSS 2022), the dense solver, on the program of qp.h. Its object is made
// once per size; every query hands it new constraints and solves from scratch.
#include "bench/qp.h"

#include <proxsuite/proxqp/dense/dense.hpp>

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct ts_qp_proxqp {
    proxsuite::proxqp::dense::QP<double> qp;
    Matrix hessian;
    Matrix none;
    Eigen::VectorXd gradient;
    Eigen::VectorXd nothing;
    Eigen::VectorXd lower;

    explicit ts_qp_proxqp(int rows, double tolerance)
        : qp(TS_QP_VARIABLES, 0, rows), hessian(TS_QP_VARIABLES, TS_QP_VARIABLES), none(0, TS_QP_VARIABLES),
          gradient(Eigen::VectorXd::Zero(TS_QP_VARIABLES)), nothing(0), lower(Eigen::VectorXd::Constant(rows, -1e20)) {
        hessian.setZero();
        for (int i = 0; i < 3; ++i) {
            hessian(i, i) = hessian(i + 3, i + 3) = 2.0;
            hessian(i, i + 3) = hessian(i + 3, i) = -2.0;
        }
        qp.settings.eps_abs = tolerance;
        qp.settings.eps_rel = 0.0;
        qp.settings.initial_guess = proxsuite::proxqp::InitialGuessStatus::NO_INITIAL_GUESS;
    }
};

ts_qp_proxqp* ts_qp_proxqp_make(int rows, double tolerance) { return new ts_qp_proxqp(rows, tolerance); }

void ts_qp_proxqp_solve(ts_qp_proxqp* s, const ts_qp* program, ts_qp_answer* out) {
    Eigen::Map<const Matrix> rows(program->row, program->rows, TS_QP_VARIABLES);
    Eigen::Map<const Eigen::VectorXd> bounds(program->bound, program->rows);
    s->qp.init(s->hessian, s->gradient, s->none, s->nothing, rows, s->lower, bounds);
    s->qp.solve();
    for (int i = 0; i < TS_QP_VARIABLES; ++i) out->x[i] = s->qp.results.x[i];
    out->iterations = static_cast<int>(s->qp.results.info.iter);
    out->converged = s->qp.results.info.status == proxsuite::proxqp::QPSolverOutput::PROXQP_SOLVED;
}

void ts_qp_proxqp_free(ts_qp_proxqp* solver) { delete solver; }
