import { createTestDatabase, createTestPool } from '@phaseline/testing';
import { describe } from 'vitest';
import { describeVectorsContract } from './vectors-contract.fixture.js';

describe('semantic search on PostgreSQL', () => {
  describeVectorsContract(async () => {
    const database = await createTestDatabase();
    const pool = createTestPool({ connectionString: database.serviceUrl, max: 6 });
    return {
      pool,
      close: async () => {
        await pool.end();
        await database.drop();
      },
    };
  });
});
