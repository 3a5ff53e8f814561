import { insertEventSql, recomputeHashesSql, type Cases, type LogCase } from './tampering-case.fixture.js';

const seal = (number: number, change: string): string =>
  `UPDATE phaseline.seals SET ${change} WHERE number = ${number}`;

/** Anchors changed or removed one by one. */
export const anchorCases: Cases<LogCase> = {
  anchors: [
    // Anchors.
    {
      name: 'the content of an anchor',
      sql: [seal(1, 'events = 4')],
      online: ['seal 1 seal-altered', 'seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
      offline: ['seal 1 seal-altered', 'seal 1 seal-forged'],
    },
    {
      name: 'the time of an anchor',
      sql: [seal(1, `sealed_at = sealed_at - interval '1 day'`)],
      online: ['seal 1 seal-altered', 'seal 1 seal-forged'],
    },
    {
      name: 'an infinite time of an anchor',
      sql: [seal(2, `sealed_at = 'infinity'`)],
      online: ['seal 2 seal-altered', 'seal 2 seal-forged'],
    },
    {
      name: 'the horizon of the last anchor',
      sql: [seal(2, `horizon = '4'`)],
      online: ['seal 2 seal-altered', 'seal 2 seal-altered', 'seal 2 seal-forged'],
      offline: ['seal 2 seal-altered', 'seal 2 seal-forged'],
    },
    {
      name: 'the signature of an anchor',
      sql: [seal(2, `signature = decode(repeat('ab', 64), 'hex')`)],
      online: ['seal 2 seal-forged'],
    },
    {
      name: 'an empty signature',
      sql: [seal(2, `signature = ''`)],
      online: ['seal 2 seal-forged'],
    },
    {
      name: 'the signatures of two anchors exchanged',
      sql: [
        `UPDATE phaseline.seals AS s SET signature = o.signature FROM phaseline.seals AS o WHERE o.number = 3 - s.number`,
      ],
      online: ['seal 1 seal-forged', 'seal 2 seal-forged'],
    },
    {
      name: 'the hash and signature of an anchor',
      sql: [seal(1, `hash = sha256('x'), signature = decode(repeat('ab', 64), 'hex')`)],
      online: ['seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
      offline: ['seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-missing'],
      doctor: ['seals'],
      withReceipt: ['seal 1 receipt-mismatch', 'seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
    },
    {
      // No signature covers the stored hash, and no later anchor links to the newest one.
      name: 'the hash of the newest anchor',
      sql: [seal(2, `hash = sha256('x')`)],
      online: ['seal 2 seal-altered'],
      withReceipt: ['seal 2 receipt-mismatch', 'seal 2 seal-altered'],
    },
    {
      name: 'a head of an anchor',
      sql: [`UPDATE phaseline.seal_heads SET version = 1 WHERE seal = 1 AND stream_id = 'a'`],
      online: ['a 1 rewritten', 'a 2 inserted', 'seal 1 seal-altered'],
    },
    {
      name: 'a head of an anchor removed',
      sql: [`DELETE FROM phaseline.seal_heads WHERE seal = 2 AND stream_id = 'm'`],
      online: ['m 4 inserted', 'seal 2 seal-altered'],
    },
    {
      name: 'a head added to an anchor',
      sql: [
        insertEventSql('m', 5, { transaction: `'3'` }),
        recomputeHashesSql('m', 5),
        `INSERT INTO phaseline.seal_heads SELECT 2, 'x', version, hash FROM phaseline.streams WHERE stream_id = 'm'`,
        `UPDATE phaseline.seal_heads SET version = 5, hash = (SELECT hash FROM phaseline.streams WHERE stream_id = 'm') WHERE seal = 2 AND stream_id = 'm'`,
        `DELETE FROM phaseline.seal_heads WHERE stream_id = 'x'`,
      ],
      online: ['seal 2 seal-altered'],
    },
    {
      name: 'an anchor in the middle removed',
      sql: ['DELETE FROM phaseline.seal_heads WHERE seal = 1', 'DELETE FROM phaseline.seals WHERE number = 1'],
      online: [
        'a 1 inserted',
        'a 2 inserted',
        'job-done 1 inserted',
        'job-done 2 inserted',
        'seal 1 seal-missing',
        'seal 2 seal-altered',
      ],
      doctor: ['seals'],
      withReceipt: [
        'a 1 inserted',
        'a 2 inserted',
        'job-done 1 inserted',
        'job-done 2 inserted',
        'seal 1 seal-missing',
        'seal 1 seal-missing',
        'seal 2 seal-altered',
      ],
      offline: ['a 1 inserted', 'a 2 inserted', 'job-done 1 inserted', 'job-done 2 inserted', 'seal 2 seal-missing'],
    },
    {
      name: 'an anchor with another number',
      sql: [
        'ALTER TABLE phaseline.seal_heads DROP CONSTRAINT seal_heads_seal_fkey',
        seal(2, 'number = 3'),
        'UPDATE phaseline.seal_heads SET seal = 3 WHERE seal = 2',
      ],
      online: ['seal 2 seal-missing', 'seal 3 seal-altered', 'seal 3 seal-forged'],
      doctor: ['seals'],
      withReceipt: ['seal 2 seal-missing', 'seal 2 seal-missing', 'seal 3 seal-altered', 'seal 3 seal-forged'],
      offline: ['seal 3 seal-altered', 'seal 3 seal-forged', 'seal 3 seal-missing'],
    },
    {
      name: 'the rows of the anchors removed, their heads kept',
      sql: ['ALTER TABLE phaseline.seal_heads DROP CONSTRAINT seal_heads_seal_fkey', 'DELETE FROM phaseline.seals'],
      online: ['seal 1 seal-missing', 'seal 2 seal-missing'],
      withReceipt: ['seal 1 seal-missing', 'seal 1 seal-missing', 'seal 2 seal-missing'],
    },
  ],
};
