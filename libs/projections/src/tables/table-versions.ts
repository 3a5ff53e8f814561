import type { Queryable } from '@phaseline/event-store';
import { readModelNames, REVISION, type ReadModelName } from '../models/read-model.js';
import { ReadModelsAhead, ReadModelsBehind } from './table-errors.js';

/** The active version of each read model: the one that is read and updated. */
export type TableVersions = Readonly<Record<ReadModelName, number>>;

export interface VersionRow {
  readonly name: ReadModelName;
  readonly version: number;
  readonly revision: number;
  readonly state: 'building' | 'active' | 'retired';
  readonly created_at: Date;
  readonly activated_at: Date | null;
}

/** Returns the name of the table of one version. Names and versions never come from user input. */
export function tableName(name: ReadModelName, version: number): string {
  return `phaseline.${name}_v${version}`;
}

/** Returns every version that has a table, oldest first. */
export async function readVersionRows(database: Queryable): Promise<VersionRow[]> {
  const { rows } = await database.query<VersionRow>(
    `SELECT name, version, revision, state, created_at, activated_at FROM phaseline.read_models
     WHERE state <> 'dropped' ORDER BY name, version`,
  );
  return rows;
}

/** Returns the active versions of any revision. */
export async function readActiveRows(database: Queryable): Promise<ReadonlyMap<ReadModelName, VersionRow>> {
  const rows = await readVersionRows(database);
  return new Map(rows.filter(({ state }) => state === 'active').map((row) => [row.name, row]));
}

/**
 * Returns the active versions. Throws ReadModelsBehind and ReadModelsAhead when they are not of this release's
 * revision.
 */
export async function readActiveVersions(database: Queryable): Promise<TableVersions> {
  const active = await readActiveRows(database);
  const versions: Partial<Record<ReadModelName, number>> = {};
  for (const name of readModelNames) {
    const row = active.get(name);
    if (!row || row.revision < REVISION) throw new ReadModelsBehind(name, row?.revision ?? 0, REVISION);
    if (row.revision > REVISION) throw new ReadModelsAhead(name, row.revision, REVISION);
    versions[name] = row.version;
  }
  return versions as TableVersions;
}

/** Returns whether the tables are those of an older release, so that this one has to build its own. */
export async function areReadModelsBehind(database: Queryable): Promise<boolean> {
  const active = await readActiveRows(database);
  return readModelNames.some((name) => (active.get(name)?.revision ?? 0) < REVISION);
}
