import { useQuery } from '@tanstack/react-query';
import type { PatternProposalRecord } from '@phaseline/client';
import { client } from '../api/client.js';
import { Code, Command } from '../ui/code.js';
import { Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';

/** The stricter guard and the changed instructions that a pattern allows, each with its difference. Nothing is stored. */
export function ChangeProposals({ pattern }: { readonly pattern: string }) {
  const query = useQuery({
    queryKey: ['learning', 'proposals', pattern],
    queryFn: ({ signal }) => client.learning.proposals(pattern, { signal }),
  });
  return (
    <QueryView query={query}>
      {({ proposals }) => (
        <div className="stack-small">
          {proposals
            .filter(({ kind }) => kind !== 'new_rule')
            .map((proposal) => (
              <ChangeProposal key={proposal.kind} proposal={proposal} />
            ))}
          <p className="muted">
            To write the files: <Command text={`phaseline learning propose ${pattern} --out proposed`} />
          </p>
        </div>
      )}
    </QueryView>
  );
}

function ChangeProposal({ proposal }: { readonly proposal: PatternProposalRecord }) {
  const { kind, problem, summary, diff, tryWith } = proposal;
  const name = kind === 'stricter_guard' ? 'Stricter version of the guard' : 'Changed instructions';
  if (problem !== undefined)
    return (
      <Notice>
        {name}: none, because {problem}.
      </Notice>
    );
  return (
    <div className="stack-small">
      <p className="muted">{summary}</p>
      <Code label={name} text={diff ?? ''} />
      {tryWith === undefined ? null : (
        <p>
          Try it: <Command text={tryWith} />
        </p>
      )}
    </div>
  );
}
