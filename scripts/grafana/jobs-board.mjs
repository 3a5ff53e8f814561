/** What the system does with its time and money: jobs, steps, models, tools, and who refused what. */
const rate = (title, metric, label, more = {}) => ({
  type: 'timeseries',
  title,
  unit: 'ops',
  targets: [[`sum by (${label}) (rate(${metric}[$__rate_interval]))`, `{{${label}}}`]],
  ...more,
});
// A figure without series, as before the first model call, is 0.
const stat = (title, unit, expr) => ({ type: 'stat', title, unit, targets: [[`${expr} or vector(0)`]] });
const series = (title, unit, targets, more = {}) => ({ type: 'timeseries', title, unit, targets, ...more });
const quantile = (q, metric, label) => [
  `histogram_quantile(${q}, sum by (${label}, le) (rate(${metric}_bucket[$__rate_interval])))`,
  `{{${label}}} p${q * 100}`,
];

export const jobsBoard = {
  uid: 'phaseline-jobs-models-money',
  title: 'Phaseline: jobs, models and money',
  description: 'What the system does with its time and money, and who refused what.',
  rows: [
    {
      title: 'In the time shown',
      perLine: 6,
      panels: [
        stat('Jobs submitted', 'short', 'sum(increase(phaseline_jobs_submitted_total[$__range]))'),
        stat('Jobs completed', 'short', 'sum(increase(phaseline_jobs_ended_total{outcome="completed"}[$__range]))'),
        stat(
          'Jobs that ended otherwise',
          'short',
          'sum(increase(phaseline_jobs_ended_total{outcome!="completed"}[$__range]))',
        ),
        stat('Cost', 'currencyUSD', 'sum(increase(phaseline_model_cost_usd_total[$__range]))'),
        stat('Tokens', 'short', 'sum(increase(phaseline_model_tokens_total[$__range]))'),
        stat(
          'Input tokens from the cache',
          'percentunit',
          'sum(increase(phaseline_model_tokens_total{kind="cached"}[$__range])) / sum(increase(phaseline_model_tokens_total{kind=~"input|cached|cache_write"}[$__range]))',
        ),
      ],
    },
    {
      title: 'Jobs and phases',
      perLine: 3,
      panels: [
        series('Jobs that have not ended', 'short', [['max by (status) (phaseline_jobs)', '{{status}}']], {
          stack: true,
        }),
        rate('Jobs that end', 'phaseline_jobs_ended_total', 'outcome'),
        rate('Phases that end', 'phaseline_phases_ended_total', 'outcome'),
        series('Wait for a slot', 's', [
          ['histogram_quantile(0.95, sum by (le) (rate(phaseline_slot_wait_seconds_bucket[$__rate_interval])))', 'p95'],
        ]),
        rate('Repeated attempts', 'phaseline_retries_total', 'kind'),
        series('Takeovers', 'short', [['sum(increase(phaseline_takeovers_total[$__rate_interval]))', 'takeovers']]),
      ],
    },
    {
      title: 'Models and money',
      perLine: 3,
      panels: [
        rate('Steps', 'phaseline_steps_total', 'service'),
        series('Model calls', 'ops', [
          ['sum by (model, outcome) (rate(phaseline_model_calls_total[$__rate_interval]))', '{{model}} {{outcome}}'],
        ]),
        series('Duration of model calls', 's', [
          quantile(0.5, 'phaseline_model_call_seconds', 'model'),
          quantile(0.95, 'phaseline_model_call_seconds', 'model'),
        ]),
        rate('Tokens per second', 'phaseline_model_tokens_total', 'kind', { unit: 'short', stack: true }),
        series('Cost per hour', 'currencyUSD', [
          ['sum by (model) (rate(phaseline_model_cost_usd_total[$__rate_interval])) * 3600', '{{model}}'],
        ]),
        series('Share of failed model calls', 'percentunit', [
          [
            'sum by (model) (rate(phaseline_model_calls_total{outcome="failed"}[$__rate_interval])) / sum by (model) (rate(phaseline_model_calls_total[$__rate_interval]))',
            '{{model}}',
          ],
        ]),
      ],
    },
    {
      title: 'Tools and decisions',
      perLine: 3,
      panels: [
        rate('Tool calls', 'phaseline_tool_calls_total', 'tool', { stack: true }),
        series('Tool calls that did not complete', 'ops', [
          [
            'sum by (tool, outcome) (rate(phaseline_tool_calls_total{outcome!="completed"}[$__rate_interval])) > 0',
            '{{tool}} {{outcome}}',
          ],
        ]),
        series('Decisions of gates', 'ops', [
          ['sum by (gate, outcome) (rate(phaseline_gate_decisions_total[$__rate_interval]))', '{{gate}} {{outcome}}'],
        ]),
        series('Decisions of guards', 'ops', [
          [
            'sum by (scope, outcome) (rate(phaseline_guard_decisions_total[$__rate_interval]))',
            '{{scope}} {{outcome}}',
          ],
        ]),
        rate('Claims', 'phaseline_claim_decisions_total', 'outcome'),
        series(
          'Judgements',
          'short',
          [
            [
              'sum by (judge, outcome) (max by (tenant, judge, outcome) (phaseline_judgements))',
              '{{judge}} {{outcome}}',
            ],
          ],
          { description: 'Empty unless Prometheus has a key with the right metrics:read.' },
        ),
      ],
    },
  ],
};
