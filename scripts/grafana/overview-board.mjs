/** The state of the system: what waits, who works on it, and whether the log and its readers keep up. */
// A figure without series, as before the first model call, is 0.
const stat = (title, unit, expr, limits) => ({
  type: 'stat',
  title,
  unit,
  targets: [[`${expr} or vector(0)`]],
  limits,
});
const series = (title, unit, targets, more = {}) => ({ type: 'timeseries', title, unit, targets, ...more });

export const overviewBoard = {
  uid: 'phaseline-overview',
  title: 'Phaseline: overview',
  description: 'What waits, who works on it, and whether the log and its readers keep up.',
  rows: [
    {
      title: 'Now',
      perLine: 6,
      panels: [
        stat('Jobs running', 'short', 'max(phaseline_jobs{status="running"})'),
        stat('Waiting for a person', 'short', 'sum(max by (kind) (phaseline_waiting_for_person))', [1]),
        stat('Dead letters', 'short', 'sum(max by (queue) (phaseline_dead_letters))', [1]),
        stat('Quarantined streams', 'short', 'max(phaseline_quarantined_streams)', [1]),
        stat('Lag of lists', 's', 'max(phaseline_projection_lag_seconds)', [10, 60]),
        stat('Cost per hour', 'currencyUSD', 'sum(rate(phaseline_model_cost_usd_total[15m])) * 3600'),
      ],
    },
    {
      title: 'Queues',
      perLine: 3,
      panels: [
        series('Messages that wait', 'short', [
          ['max by (queue) (phaseline_queue_depth{state="waiting"})', '{{queue}}'],
        ]),
        series('Age of the oldest message', 's', [
          ['max by (queue) (phaseline_queue_oldest_age_seconds)', '{{queue}}'],
        ]),
        series('Arrivals and completions', 'ops', [
          ['sum by (queue) (rate(phaseline_queue_messages_sent_total[$__rate_interval]))', '{{queue}} sent'],
          [
            'sum by (queue) (rate(phaseline_queue_deliveries_total{outcome="completed"}[$__rate_interval]))',
            '{{queue}} completed',
          ],
        ]),
        series('Processes per queue', 'short', [['max by (queue) (phaseline_queue_workers)', '{{queue}}']]),
        series('Time until the first delivery, 95th percentile', 's', [
          [
            'histogram_quantile(0.95, sum by (queue, le) (rate(phaseline_queue_wait_seconds_bucket[$__rate_interval])))',
            '{{queue}}',
          ],
        ]),
        series('Deliveries that did not complete', 'ops', [
          [
            'sum by (queue, outcome) (rate(phaseline_queue_deliveries_total{outcome!="completed"}[$__rate_interval]))',
            '{{queue}} {{outcome}}',
          ],
        ]),
      ],
    },
    {
      title: 'People and tenants',
      perLine: 3,
      panels: [
        series('Entries of the inbox', 'short', [['max by (kind) (phaseline_waiting_for_person)', '{{kind}}']], {
          stack: true,
        }),
        series('Longest wait for a person', 's', [
          ['max by (kind) (phaseline_waiting_for_person_oldest_age_seconds)', '{{kind}}'],
        ]),
        series(
          'Running phases and limits of tenants',
          'short',
          [
            ['max by (tenant, state) (phaseline_tenant_phases)', '{{tenant}} {{state}}'],
            ['max by (tenant) (phaseline_tenant_phase_limit)', '{{tenant}} limit'],
          ],
          { description: 'Empty unless Prometheus has a key with the right metrics:read.' },
        ),
      ],
    },
    {
      title: 'Processes and log',
      perLine: 3,
      panels: [
        series('Live processes', 'short', [['max by (process) (phaseline_processes{state="alive"})', '{{process}}']]),
        series('Age of the newest heartbeat', 's', [
          ['max by (process) (phaseline_heartbeat_age_seconds)', '{{process}}'],
        ]),
        series('Lag of lists and anchors', 's', [
          ['max(phaseline_projection_lag_seconds)', 'lists'],
          ['max(phaseline_audit_unanchored_age_seconds)', 'anchors'],
        ]),
        series('Events appended', 'ops', [
          ['sum by (service) (rate(phaseline_events_appended_total[$__rate_interval]))', '{{service}}'],
        ]),
        series('Duration of appends, 95th percentile', 's', [
          [
            'histogram_quantile(0.95, sum by (service, le) (rate(phaseline_append_seconds_bucket[$__rate_interval])))',
            '{{service}}',
          ],
        ]),
        series('Blocks of the event loop', 'short', [
          ['sum by (service) (increase(phaseline_event_loop_blocked_total[$__rate_interval]))', '{{service}}'],
        ]),
      ],
    },
  ],
};
