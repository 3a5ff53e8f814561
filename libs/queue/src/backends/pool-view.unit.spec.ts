import { describe, expect, it } from 'vitest';
import { asConnectionLost } from './connection-lost.js';
import { PoolView } from './pool-view.js';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('asConnectionLost', () => {
  it('knows a server that is away in all its disguises, and gives them the one shape that BullMQ waits on', () => {
    const disguises = [
      coded('ECONNRESET'),
      coded('57P01', 'terminating connection due to administrator command'),
      coded('57P03', 'the database system is starting up'),
      coded('53300', 'sorry, too many clients already'),
      coded('08006'),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout exceeded when trying to connect'),
      new Error('Connection is closed.'),
      Object.assign(new AggregateError([coded('ECONNREFUSED')]), { code: 'ECONNREFUSED' }),
    ];
    for (const error of disguises)
      expect(asConnectionLost(error)).toMatchObject({ code: 'ECONNREFUSED', cause: error });
  });

  it('leaves errors of statements alone, so that they are not repeated for ever', () => {
    for (const error of [
      coded('42501', 'permission denied'),
      coded('BM001'),
      coded('40P01'),
      coded('57014'),
      new Error('boom'),
    ])
      expect(asConnectionLost(error)).toBeUndefined();
  });
});

describe('PoolView', () => {
  it('lets nothing but the storing of messages into a transaction', async () => {
    const statements: string[] = [];
    const view = new PoolView(undefined as never, 'bullmq', () => {});
    const transaction = { query: async (text: string) => (statements.push(text), { rows: [] }) };
    await view.inside(transaction, () => view.query('SELECT add_job($1) AS id', []));
    await expect(view.inside(transaction, () => view.query('SELECT * FROM move_to_active($1)', []))).rejects.toThrow(
      /does not store messages/,
    );
    expect(statements).toEqual(['SELECT bullmq.add_job($1) AS id']);
  });
});
