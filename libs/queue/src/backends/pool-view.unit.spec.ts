import { describe, expect, it } from 'vitest';
import { toConnectionLost } from './connection-lost.js';
import { PoolView } from './pool-view.js';

const errorWithCode = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('toConnectionLost', () => {
  it('converts every error of an unavailable server to the form that makes BullMQ wait', () => {
    const errors = [
      errorWithCode('ECONNRESET'),
      errorWithCode('57P01', 'terminating connection due to administrator command'),
      errorWithCode('57P03', 'the database system is starting up'),
      errorWithCode('53300', 'sorry, too many clients already'),
      errorWithCode('08006'),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout exceeded when trying to connect'),
      new Error('Connection is closed.'),
      Object.assign(new AggregateError([errorWithCode('ECONNREFUSED')]), { code: 'ECONNREFUSED' }),
    ];
    for (const error of errors) expect(toConnectionLost(error)).toMatchObject({ code: 'ECONNREFUSED', cause: error });
  });

  it('returns undefined for errors of statements, so that they are not retried forever', () => {
    for (const error of [
      errorWithCode('42501', 'permission denied'),
      errorWithCode('BM001'),
      errorWithCode('40P01'),
      errorWithCode('57014'),
      new Error('boom'),
    ])
      expect(toConnectionLost(error)).toBeUndefined();
  });
});

describe('PoolView', () => {
  it('runs only statements that store messages in a transaction', async () => {
    const statements: string[] = [];
    const view = new PoolView(undefined as never, 'bullmq', () => {});
    const transaction = { query: async (text: string) => (statements.push(text), { rows: [] }) };
    await view.runInTransaction(transaction, () => view.query('SELECT add_job($1) AS id', []));
    await expect(
      view.runInTransaction(transaction, () => view.query('SELECT * FROM move_to_active($1)', [])),
    ).rejects.toThrow(/does not store messages/);
    expect(statements).toEqual(['SELECT bullmq.add_job($1) AS id']);
  });
});
