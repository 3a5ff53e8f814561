import type { PatternRecord } from '@phaseline/client';
import { Link } from 'wouter';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { Card } from '../ui/card.js';
import { formatCount, formatUsd, pluralise, toWords } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { LazyDetails } from '../ui/lazy-details.js';
import { DateTime } from '../ui/time.js';
import { ChangeProposals } from './change-proposals.js';
import { EventLink } from './event-link.js';
import { GuardProposal } from './guard-proposal.js';
import { TRACES_PATH } from './traces-path.js';

/** One pattern: how often, at what cost, examples, and what a person may do about it. */
export function PatternCard({ pattern }: { readonly pattern: PatternRecord }) {
  const { agent, reason, tool, shape, point, guard, tenant, support, jobs, first, last, tokens, costMicroUsd } =
    pattern;
  return (
    <Card
      title={
        <span className="wrap-anywhere">
          {agent}: {toWords(reason)}
          {tool === undefined ? '' : `, ${tool}`}
        </span>
      }
      actions={
        <Badge tone="warn" glyph="↻">
          {formatCount(support)} times in {pluralise(jobs, 'job')}
        </Badge>
      }
    >
      <div className="learning-pattern">
        <KeyValues
          items={[
            ['Tenant', tenant],
            ['Hook point', point],
            ['Guard', guard],
            ['Files', pattern.files === undefined ? undefined : <code key="files">{pattern.files}</code>],
            ['Arguments', shape === undefined || shape === '' ? undefined : <code key="shape">{shape}</code>],
            ['First', <DateTime key="first" at={first} />],
            ['Last', <DateTime key="last" at={last} />],
            ['Cost', `${formatUsd(costMicroUsd)}, ${formatCount(tokens)} tokens`],
          ]}
        />
        <div className="stack-small">
          <h3>Newest examples</h3>
          <ul className="stack-small">
            {pattern.examples.map(({ trace, jobId, position, at, happened }) => (
              <li key={trace}>
                <span className="row">
                  <EventLink jobId={jobId} position={position} />
                  <DateTime at={at} />
                  <Link href={`${TRACES_PATH}/${trace}`}>Learning trace</Link>
                </span>
                <span className="muted wrap-anywhere">{happened}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Proposals pattern={pattern} />
    </Card>
  );
}

function Proposals({ pattern }: { readonly pattern: PatternRecord }) {
  const { id, proposals, guard, tenant, tool } = pattern;
  const can = useRights();
  return (
    <div className="stack-small learning-proposals">
      <h3>What you may do</h3>
      {proposals.includes('stricter_guard') && guard !== undefined ? (
        <p>
          Add a stricter version of the guard {guard}.{' '}
          {can('guards:read') ? <Link href="/learning/guards">Stored guards with their stages</Link> : null}
        </p>
      ) : null}
      {can('files:read', tenant) && can('guards:read', tenant) ? (
        <LazyDetails summary="Change the guard or the instructions">
          {() => <ChangeProposals pattern={id} />}
        </LazyDetails>
      ) : null}
      {tool === undefined ? null : (
        <LazyDetails
          summary={
            proposals.includes('new_rule') ? 'Add the rule that denies these calls' : 'A rule that denies these calls'
          }
        >
          {() => <GuardProposal pattern={id} />}
        </LazyDetails>
      )}
    </div>
  );
}
