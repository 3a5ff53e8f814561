import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Check } from '../check.js';
import { closeAll, openTestTarget, runCheck } from './doctor-target.fixture.js';

export interface DoctorHome {
  /** Connections of the owner of the tables. */
  readonly owner: ReturnType<typeof createPool>;
  /** The folder PHASELINE_HOME, in which a master key may be. */
  readonly folder: string;
  /** Runs the check in an environment that contains only the database, the folder and `env`. Returns level and text of its findings. */
  run(env?: NodeJS.ProcessEnv): Promise<readonly (readonly [level: string, text: string])[]>;
}

/** Gives the tests of a file a database and a PHASELINE_HOME of their own, for a check that needs master keys. */
export function useDoctorHome(check: Check): DoctorHome {
  let database: TestDatabase;
  let owner: ReturnType<typeof createPool>;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    owner = createPool(database.ownerUrl, { max: 2 });
    folder = await mkdtemp(join(tmpdir(), 'phaseline-home-'));
  });
  afterEach(closeAll);
  afterAll(async () => {
    await owner.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });
  return {
    get owner() {
      return owner;
    },
    get folder() {
      return folder;
    },
    run: async (env = {}) => {
      const target = await openTestTarget({ DATABASE_URL: database.serviceUrl, PHASELINE_HOME: folder, ...env });
      return (await runCheck(target, check)).map(({ level, text }) => [level, text] as const);
    },
  };
}
