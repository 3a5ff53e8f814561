import type { Amount } from '@phaseline/contracts';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.js';
import { formatCount, formatDuration, formatUsd, pluralise } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { LazyDetails } from '../ui/lazy-details.js';
import { DateTime } from '../ui/time.js';
import type { GuardVersion } from './use-guards.js';
import './guard-backtests.css';

type Backtest = GuardVersion['backtests'][number];
type Example = Backtest['examples'][number];

/** The newest backtest of a version with its examples, and the older ones folded. */
export function GuardBacktests({ backtests, minLabelled }: Pick<GuardVersion, 'backtests' | 'minLabelled'>) {
  const [newest, ...older] = backtests;
  if (newest === undefined)
    return (
      <p className="muted">
        Not tried on recorded jobs yet. A backtest needs {pluralise(minLabelled, 'known outcome')}.
      </p>
    );
  return (
    <div className="stack-small">
      <Figures backtest={newest} minLabelled={minLabelled} />
      {older.length === 0 ? null : (
        <LazyDetails summary={pluralise(older.length, 'older backtest')}>
          {() => (
            <ol className="stack-small backtest-fold">
              {older.map((backtest) => (
                <li key={backtest.at}>
                  <Figures backtest={backtest} minLabelled={minLabelled} />
                </li>
              ))}
            </ol>
          )}
        </LazyDetails>
      )}
    </div>
  );
}

function Figures({ backtest, minLabelled }: { readonly backtest: Backtest; readonly minLabelled: number }) {
  const { at, actor, jobs, calls, hits, possiblyWrong, labelled, moneyAtRisk, isComplete, examples, cases } = backtest;
  return (
    <>
      <div className="row">
        <Badge tone={possiblyWrong === 0 ? 'ok' : 'warn'} glyph={possiblyWrong === 0 ? '✓' : '!'}>
          {possiblyWrong === 0 ? 'no hit possibly wrong' : `${formatCount(possiblyWrong)} possibly wrong`}
        </Badge>
        {labelled < minLabelled ? (
          <Badge tone="warn" glyph="!">
            too few outcomes
          </Badge>
        ) : null}
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
          ['Hits', formatCount(hits)],
          ['Outcomes', `${formatCount(labelled)} known, ${formatCount(minLabelled)} needed`],
          ['At risk', possiblyWrong === 0 ? undefined : describeRisk(moneyAtRisk)],
          ['Cases', cases && describeCases(cases)],
        ]}
      />
      {examples.length === 0 ? null : (
        <LazyDetails summary={pluralise(examples.length, 'example')}>
          {() => (
            <ul className="stack-small backtest-fold">
              {examples.map((example) => (
                <li key={`${example.streamId} ${example.position}`} className="wrap-anywhere">
                  <ExampleOfHit example={example} />
                </li>
              ))}
            </ul>
          )}
        </LazyDetails>
      )}
    </>
  );
}

function describeRisk({ atLeast, atMost }: Backtest['moneyAtRisk']): string {
  return `at least ${describeAmount(atLeast)}, at most ${describeAmount(atMost)}`;
}

function describeAmount({ costMicroUsd, durationMs }: Amount): string {
  return `${formatUsd(costMicroUsd)} and ${formatDuration(durationMs)}`;
}

function describeCases({ passed, broken }: NonNullable<Backtest['cases']>): string {
  const names = broken.length === 0 ? '' : `: ${broken.join(', ')}`;
  return `${formatCount(passed)} passed, ${formatCount(broken.length)} broken${names}`;
}

/** Leads to the job only: an example has the version of the event in its stream, and the pages of jobs know positions in the log. */
function ExampleOfHit({ example: { jobId, streamId, position, tool, effect, became } }: { readonly example: Example }) {
  return (
    <>
      <Link href={`/jobs/${jobId}`} className="mono nowrap" title={`Event ${position} of ${streamId}`}>
        <span className="visually-hidden">Job </span>…{jobId.slice(-8)}
      </Link>{' '}
      <span className="muted nowrap">{describeEvent(streamId, position)}</span>
      <br />
      {tool === undefined ? 'End of the phase' : <code>{tool}</code>}: would {effect}; outcome:{' '}
      {became.replaceAll('-', ' ')}
    </>
  );
}

/** The number of the phase is the last part of its stream's id. */
function describeEvent(streamId: Example['streamId'], version: number): string {
  return `phase ${streamId.slice(streamId.lastIndexOf('-') + 1)}, event ${version}`;
}
