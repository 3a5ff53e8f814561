import type { JobId } from '@phaseline/contracts';
import { Badge } from '../ui/badge.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { formatCount, pluralise } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { LazyDetails } from '../ui/lazy-details.js';
import { DateTime } from '../ui/time.js';
import { EventLink } from './event-link.js';

/** What a version of a guard would have decided about recorded calls. */
export interface GuardBacktest {
  readonly at: string;
  readonly actor: string;
  readonly jobs: number;
  readonly calls: number;
  /** Calls about which it would have decided. */
  readonly hits: number;
  /** Hits of calls that were accepted in jobs that completed. */
  readonly possiblyWrong: number;
  /** Hits of which is known whether they were right. */
  readonly labelled: number;
  /** False if it ended before it had seen every call. */
  readonly isComplete: boolean;
  readonly examples: readonly GuardBacktestExample[];
}

interface GuardBacktestExample {
  readonly jobId: JobId;
  readonly position: number;
  readonly tool: string;
  /** What the guard would have done, such as `deny`. */
  readonly effect: string;
  /** What became of the call. */
  readonly became: string;
}

/** The newest backtest of a version with its examples. The backtests are newest first. */
export function GuardBacktests({ backtests }: { readonly backtests: readonly GuardBacktest[] }) {
  const [newest, ...older] = backtests;
  if (newest === undefined) return <p className="muted">Not tried on recorded jobs yet.</p>;
  return (
    <div className="stack-small">
      <Figures backtest={newest} />
      {older.length === 0 ? null : (
        <LazyDetails summary={pluralise(older.length, 'older backtest')}>
          {() => (
            <ol className="stack-small learning-fold">
              {older.map((backtest) => (
                <li key={backtest.at}>
                  <Figures backtest={backtest} />
                </li>
              ))}
            </ol>
          )}
        </LazyDetails>
      )}
    </div>
  );
}

function Figures({ backtest }: { readonly backtest: GuardBacktest }) {
  const { at, actor, jobs, calls, hits, possiblyWrong, labelled, isComplete, examples } = backtest;
  return (
    <>
      <div className="row">
        <Badge tone={possiblyWrong === 0 ? 'ok' : 'warn'} glyph={possiblyWrong === 0 ? '✓' : '!'}>
          {possiblyWrong === 0 ? 'no hit possibly wrong' : `${formatCount(possiblyWrong)} possibly wrong`}
        </Badge>
        {isComplete ? null : (
          <Badge tone="warn" glyph="…">
            incomplete
          </Badge>
        )}
      </div>
      <KeyValues
        items={[
          ['Backtest', <DateTime key="at" at={at} />],
          ['By', actor],
          ['Tried on', `${pluralise(jobs, 'job')}, ${pluralise(calls, 'call')}`],
          ['Hits', `${formatCount(hits)}, of which ${formatCount(labelled)} labelled`],
        ]}
      />
      {examples.length === 0 ? null : (
        <LazyDetails summary={pluralise(examples.length, 'example')}>
          {() => (
            <DataTable
              label="Examples of the backtest"
              columns={columns}
              rows={examples}
              rowKey={({ jobId, position }) => `${jobId} ${position}`}
            />
          )}
        </LazyDetails>
      )}
    </>
  );
}

const columns: readonly Column<GuardBacktestExample>[] = [
  { key: 'job', title: 'Job', render: (example) => <EventLink {...example} /> },
  { key: 'tool', title: 'Tool', render: ({ tool }) => <code>{tool}</code> },
  { key: 'effect', title: 'Would', render: ({ effect }) => effect },
  {
    key: 'became',
    title: 'What became of it',
    render: ({ became }) => <span className="wrap-anywhere">{became}</span>,
  },
];
