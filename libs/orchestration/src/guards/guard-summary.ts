import { findVersionInStage, type GuardHistory } from '@phaseline/domain';

/** Which version: its number, and the SHA-256 of what it decides. */
interface VersionName {
  readonly number: number;
  readonly version: string;
}

/** What a list shows of a stored guard. */
export interface GuardSummary {
  readonly owner: string;
  readonly kind: 'rule' | 'script';
  readonly newest: VersionName;
  readonly shadow?: VersionName;
  readonly production?: VersionName;
}

/** Summarises a guard that has at least one version. */
export function summariseGuard(history: GuardHistory): GuardSummary {
  const newest = history.versions.at(-1)!.added;
  const nameOf = (stage: 'shadow' | 'production'): VersionName | undefined => {
    const found = findVersionInStage(history, stage)?.added;
    return found && { number: found.number, version: found.version };
  };
  const [shadow, production] = [nameOf('shadow'), nameOf('production')];
  return {
    owner: newest.owner,
    kind: newest.definition.kind,
    newest: { number: newest.number, version: newest.version },
    ...(shadow ? { shadow } : {}),
    ...(production ? { production } : {}),
  };
}
