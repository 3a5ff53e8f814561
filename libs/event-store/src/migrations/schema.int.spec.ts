import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../testing/store.fixture.js';
import { dumpSchema } from './dump-schema.fixture.js';
import { defaultMigrationsDirectory, SCHEMA_FILE } from './migration-files.js';

const pools = useTestDatabase();

const HEADER = `-- The schema that all migrations together produce, for reading: nothing executes this file. It is dumped from the system catalogues of a
-- migrated database without pgvector. After a new migration refresh it:
--   npx vitest run libs/event-store/src/migrations/schema.int.spec.ts -u

`;

it('schema.sql shows the schema that the migrations produce', async () => {
  await expect(HEADER + (await dumpSchema(pools.owner))).toMatchFileSnapshot(
    join(defaultMigrationsDirectory, SCHEMA_FILE),
  );
});
