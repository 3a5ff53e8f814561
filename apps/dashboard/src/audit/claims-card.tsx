import type { Claim } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useClaims } from '../api/use-claims.js';
import { Badge, type Tone } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { pluralise } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';

/** Number of claims that are shown. */
const MAX_SHOWN = 200;

/** What the agents of a job said is done, with the evidence or why it was refused. */
export function ClaimsCard({ jobId }: { readonly jobId: string }) {
  const query = useClaims(jobId as JobId);
  return (
    <Card title="Claims">
      <QueryView query={query}>
        {(claims) =>
          claims.length === 0 ? (
            <Empty>No claims. An agent has not said yet that anything is done.</Empty>
          ) : (
            <ol className="stack-small">
              {claims.slice(0, MAX_SHOWN).map((claim) => (
                <ClaimItem key={claim.event.position} claim={claim} />
              ))}
              {claims.length > MAX_SHOWN ? <li className="muted">Only the first {MAX_SHOWN} are shown.</li> : null}
            </ol>
          )
        }
      </QueryView>
    </Card>
  );
}

const looks: Readonly<Record<Claim['outcome'], readonly [Tone, string]>> = {
  open: ['accent', '●'],
  accepted: ['ok', '✓'],
  refused: ['bad', '✕'],
  dropped: ['neutral', '–'],
};

function ClaimItem({ claim }: { readonly claim: Claim }) {
  const [tone, glyph] = looks[claim.outcome];
  const { event, evidence, failures, message } = claim;
  return (
    <li className="audit-problem">
      <p className="row">
        <Badge tone={tone} glyph={glyph}>
          {claim.outcome}
        </Badge>
        <span>{describeSubject(claim)}</span>
        <span className="mono muted wrap-anywhere">
          {event.streamId}, version {event.version}
        </span>
      </p>
      {message === undefined ? null : <p className="wrap-anywhere">{message}</p>}
      {failures.map((failure, index) => (
        <p key={index} className="wrap-anywhere">
          Expected {failure.expected}; found {failure.found}
        </p>
      ))}
      {evidence.length === 0 ? null : (
        <details>
          <summary>{pluralise(evidence.length, 'check')} with evidence</summary>
          <ul className="stack-small audit-evidence">
            {evidence.map((one, index) => (
              <Evidence key={index} evidence={one} />
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function describeSubject({ subject, phase }: Claim): string {
  if (subject.kind === 'job') return 'the job is complete';
  const where = phase === undefined ? '' : ` of phase ${phase}`;
  return subject.kind === 'todo' ? `todo ${subject.todoId}${where} is done` : `${subject.outcome}${where}`;
}

function Evidence({ evidence: { check, events, files } }: { readonly evidence: Claim['evidence'][number] }) {
  return (
    <li className="wrap-anywhere">
      <code>{JSON.stringify(check)}</code>
      {events.map(({ streamId, version }) => (
        <p key={`${streamId} ${version}`} className="mono muted">
          event {streamId}, version {version}
        </p>
      ))}
      {files.map(({ path, hash }) => (
        <p key={`${path} ${hash}`} className="mono muted">
          file {path}, {hash}
        </p>
      ))}
    </li>
  );
}
