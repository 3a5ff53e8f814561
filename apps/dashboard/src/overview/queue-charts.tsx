import { useMemo } from 'react';
import { Card } from '../ui/card.js';
import { Chart } from '../ui/chart.js';
import { pluralise } from '../ui/format.js';
import { QueryView } from '../ui/query-view.js';
import { fillMinutes, type QueueSeries } from './fill-minutes.js';
import { HISTORY_MINUTES, useQueueHistory } from './use-overview.js';

/** The due work of each queue in the last two hours, one small chart per queue with the same axis of time. */
export function QueueCharts() {
  const history = useQueueHistory();
  const series = useMemo(
    () => (history.data === undefined ? [] : fillMinutes(history.data, history.dataUpdatedAt, HISTORY_MINUTES)),
    [history.data, history.dataUpdatedAt],
  );
  return (
    <Card title="Due work, last 2 hours">
      <QueryView query={history}>
        {() =>
          series.length === 0 ? (
            <p className="muted">No work was due in this time.</p>
          ) : (
            <div className="charts">
              {series.map((one) => (
                <Chart key={one.queue} title={one.queue} summary={summarise(one)} data={one} syncKey="queues" />
              ))}
            </div>
          )
        }
      </QueryView>
    </Card>
  );
}

function summarise({ values }: QueueSeries): string {
  return `now ${values.at(-1) ?? 0}, at most ${pluralise(Math.max(...values), 'message')}`;
}
