import type { GuardSummaryRecord } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { GuardBacktests } from '../guards/guard-backtests.js';
import { linkToGuard, type GuardVersion } from '../guards/use-guards.js';
import { Command } from '../ui/code.js';
import { Empty, Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';

/** Guards whose versions are read at once. More are on the page of all guards. */
const MAX_GUARDS = 50;

const stages = ['draft', 'backtest', 'shadow', 'production'] as const;
type Stage = (typeof stages)[number];

const meanings: Readonly<Record<Stage, string>> = {
  draft: 'Stored, without effect.',
  backtest: 'Tried on recorded jobs.',
  shadow: 'Decides, without effect.',
  production: 'Decides, with effect.',
};

/** A version of a stored guard, in the lane of its stage. */
interface StagedVersion {
  readonly guard: GuardSummaryRecord;
  readonly version: GuardVersion;
}

/** The stored guards, by how far their versions have come. */
export function GuardsTab() {
  const guards = useQuery({ queryKey: ['guards', 'staged'], queryFn: ({ signal }) => readStagedGuards(signal) });
  return (
    <>
      <p className="muted">
        A rule goes from left to right: a person drafts it, tries it on recorded jobs, watches it in shadow, and puts it
        into effect. Versions that were replaced are on the page of their guard.
      </p>
      <QueryView query={guards}>
        {({ versions, hasMore }) =>
          versions.length === 0 ? (
            <Empty>
              No guard is stored. <Link href="/learning/patterns">A pattern</Link> may propose one; or add your own with{' '}
              <Command text="phaseline guards add FILE" />
            </Empty>
          ) : (
            <>
              {hasMore ? (
                <Notice>
                  The first {MAX_GUARDS} guards. <Link href="/guards">All guards</Link>
                </Notice>
              ) : null}
              <Lanes versions={versions} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

async function readStagedGuards(
  signal: AbortSignal,
): Promise<{ readonly versions: readonly StagedVersion[]; readonly hasMore: boolean }> {
  const stored = (await client.guards.list({}, { signal })).filter(({ source }) => source === 'stored');
  const versions = await Promise.all(
    stored.slice(0, MAX_GUARDS).map(async (guard): Promise<readonly StagedVersion[]> => {
      const { name, scope, tenant } = guard;
      const detail = await client.guards.get(name, { scope, ...(tenant === undefined ? {} : { tenant }) }, { signal });
      return detail.versions
        .filter(({ stage, version }) => stage !== 'draft' || version === guard.newest.version)
        .map((version) => ({ guard, version }));
    }),
  );
  return { versions: versions.flat(), hasMore: stored.length > MAX_GUARDS };
}

function Lanes({ versions }: { readonly versions: readonly StagedVersion[] }) {
  return (
    <div className="guard-lanes">
      {stages.map((stage) => {
        const inLane = versions.filter(({ version }) => version.stage === stage);
        return (
          <section key={stage} className={`guard-lane guard-lane-${stage}`} aria-label={`Stage ${stage}`}>
            <h2>
              {stage} <span className="nav-count">{inLane.length}</span>
            </h2>
            <p className="muted">{meanings[stage]}</p>
            <ul className="stack-small">
              {inLane.map(({ guard, version }) => (
                <li key={`${linkToGuard(guard)} ${version.version}`} className="guard-version stack-small">
                  <VersionInLane guard={guard} version={version} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function VersionInLane({ guard, version }: StagedVersion) {
  const { owner, number, backtests, minLabelled } = version;
  return (
    <>
      <p className="wrap-anywhere">
        <Link href={linkToGuard(guard)}>{guard.name}</Link>
      </p>
      <p className="muted wrap-anywhere">
        Version {number}, {guard.kind}, owner {owner}
        {guard.tenant === undefined ? '' : `, tenant ${guard.tenant}`}
      </p>
      <GuardBacktests backtests={backtests} minLabelled={minLabelled} />
    </>
  );
}
