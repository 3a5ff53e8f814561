import { Command } from '../ui/code.js';
import { Button } from '../ui/button.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { BranchGroupCard } from './branch-group-card.js';
import { groupBranches } from './group-branches.js';
import { useBranches } from './use-branches.js';

/** Experiments and bisections, each with its branches side by side. */
export function ExperimentsTab() {
  const query = useBranches();
  const groups = groupBranches(query.data?.pages.flatMap(({ items }) => items) ?? []);
  return (
    <>
      <p className="muted">
        Branches are forks of recorded jobs that continued live: with a candidate, and as the job was recorded, which
        shows what is chance. The interval (Wilson) contains the true pass rate with a probability of 95 %.
      </p>
      {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Loading /> : null}
      {query.isSuccess && groups.length === 0 ? (
        <Empty>
          No experiment yet. Try another agent on recorded jobs:{' '}
          <Command text="phaseline experiment --jobs agent=NAME --agent NEW" />, or find the answer that spoiled a job:{' '}
          <Command text="phaseline bisect JOB" />
        </Empty>
      ) : null}
      {groups.map((group) => (
        <BranchGroupCard key={group.key} group={group} />
      ))}
      {query.hasNextPage ? (
        <div className="row">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load older branches
          </Button>
          <span className="muted">Those that are not loaded are not counted.</span>
        </div>
      ) : null}
    </>
  );
}
