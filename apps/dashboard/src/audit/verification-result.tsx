import type { AuditProblemRecord, Verification } from '@phaseline/client';
import { Badge } from '../ui/badge.js';
import { formatBytes, formatCount, pluralise } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { Notice } from '../ui/notice.js';
import { adviseOn, describePlace } from './advice.js';

type Report = NonNullable<Verification['report']>;

/** What a verification found: the outcome, what was verified, each problem, and what was not checked. */
export function VerificationResult({ report }: { readonly report: Report }) {
  const { passed, problemCount, problems, confirmed = [], notChecked = [] } = report;
  return (
    <>
      <Notice tone={passed ? 'ok' : 'bad'}>
        <strong>
          <span aria-hidden="true">{passed ? '✓ ' : '✕ '}</span>
          {passed
            ? 'Verified: the log is what was written.'
            : `Not verified: ${pluralise(problemCount, 'problem')} found.`}
        </strong>
      </Notice>
      <KeyValues items={listFigures(report)} />
      {problems.length === 0 ? null : <Problems problems={problems} count={problemCount} />}
      <Sentences title="Confirmed" sentences={confirmed} />
      <Sentences title="Not checked here" sentences={notChecked} />
    </>
  );
}

function listFigures({ events, streams, anchors, keyIds = [], files, bytes, claims, derivedClaims }: Report) {
  return [
    ['Events', `${formatCount(events)} in ${pluralise(streams, 'stream')}`],
    ['Anchors', anchors === undefined ? undefined : formatCount(anchors)],
    [
      'Signed by',
      keyIds.length === 0 ? undefined : (
        <span key="keys" className="mono">
          {keyIds.join(', ')}
        </span>
      ),
    ],
    ['Files', files === undefined ? undefined : `${formatCount(files)} (${formatBytes(bytes ?? 0)})`],
    [
      'Claims',
      claims === undefined ? undefined : `derived again: ${formatCount(derivedClaims ?? 0)} of ${formatCount(claims)}`,
    ],
  ] as const;
}

function Problems({ problems, count }: { readonly problems: readonly AuditProblemRecord[]; readonly count: number }) {
  return (
    <div className="stack-small">
      <h3>Problems</h3>
      <ol className="stack-small">
        {problems.map((problem, index) => (
          <li key={index} className="audit-problem">
            <p className="row">
              <Badge tone="bad" glyph="✕">
                {problem.kind}
              </Badge>
              <span className="mono wrap-anywhere">{describePlace(problem)}</span>
            </p>
            <p className="wrap-anywhere">{problem.detail}</p>
            <p className="muted">{adviseOn(problem.kind)}</p>
          </li>
        ))}
      </ol>
      {count > problems.length ? (
        <p className="muted">and {formatCount(count - problems.length)} more: phaseline audit verify lists them.</p>
      ) : null}
    </div>
  );
}

/** The sentences name options of the command line. */
function nameCommand(sentence: string): string {
  return sentence.replace(/\((--[a-z]+)\)/g, '(phaseline audit verify $1)');
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div className="stack-small">
      <h3>{title}</h3>
      <ul className="audit-sentences">
        {sentences.map((sentence) => (
          <li key={sentence} className="wrap-anywhere">
            {nameCommand(sentence)}
          </li>
        ))}
      </ul>
    </div>
  );
}
