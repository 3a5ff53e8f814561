import { insertEventSql, recomputeHashesSql, type Cases, type LogCase } from './tampering-case.fixture.js';

const anchor = (number: number, change: string): string =>
  `UPDATE phaseline.anchors SET ${change} WHERE number = ${number}`;

/** Anchors changed or removed one by one. */
export const anchorCases: Cases<LogCase> = {
  anchors: [
    // Anchors.
    {
      name: 'the content of an anchor',
      sql: [anchor(1, 'events = 4')],
      online: [
        'anchor 1 anchor-altered',
        'anchor 1 anchor-altered',
        'anchor 1 anchor-forged',
        'anchor 2 anchor-altered',
      ],
      offline: ['anchor 1 anchor-altered', 'anchor 1 anchor-forged'],
    },
    {
      name: 'the time of an anchor',
      sql: [anchor(1, `anchored_at = anchored_at - interval '1 day'`)],
      online: ['anchor 1 anchor-altered', 'anchor 1 anchor-forged'],
    },
    {
      name: 'an infinite time of an anchor',
      sql: [anchor(2, `anchored_at = 'infinity'`)],
      online: ['anchor 2 anchor-altered', 'anchor 2 anchor-forged'],
    },
    {
      name: 'the horizon of the last anchor',
      sql: [anchor(2, `horizon = '4'`)],
      online: ['anchor 2 anchor-altered', 'anchor 2 anchor-altered', 'anchor 2 anchor-forged'],
      offline: ['anchor 2 anchor-altered', 'anchor 2 anchor-forged'],
    },
    {
      name: 'the signature of an anchor',
      sql: [anchor(2, `signature = decode(repeat('ab', 64), 'hex')`)],
      online: ['anchor 2 anchor-forged'],
    },
    {
      name: 'an empty signature',
      sql: [anchor(2, `signature = ''`)],
      online: ['anchor 2 anchor-forged'],
    },
    {
      name: 'the signatures of two anchors exchanged',
      sql: [
        `UPDATE phaseline.anchors AS s SET signature = o.signature FROM phaseline.anchors AS o WHERE o.number = 3 - s.number`,
      ],
      online: ['anchor 1 anchor-forged', 'anchor 2 anchor-forged'],
    },
    {
      name: 'the hash and signature of an anchor',
      sql: [anchor(1, `hash = sha256('x'), signature = decode(repeat('ab', 64), 'hex')`)],
      online: ['anchor 1 anchor-altered', 'anchor 1 anchor-forged', 'anchor 2 anchor-altered'],
      offline: ['anchor 1 anchor-altered', 'anchor 1 anchor-forged', 'anchor 2 anchor-missing'],
      doctor: ['anchors'],
      withReceipt: [
        'anchor 1 anchor-altered',
        'anchor 1 anchor-forged',
        'anchor 1 receipt-mismatch',
        'anchor 2 anchor-altered',
      ],
    },
    {
      // No signature covers the stored hash, and no later anchor links to the newest one.
      name: 'the hash of the newest anchor',
      sql: [anchor(2, `hash = sha256('x')`)],
      online: ['anchor 2 anchor-altered'],
      withReceipt: ['anchor 2 anchor-altered', 'anchor 2 receipt-mismatch'],
    },
    {
      name: 'a head of an anchor',
      sql: [`UPDATE phaseline.anchored_heads SET version = 1 WHERE anchor = 1 AND stream_id = 'a'`],
      online: ['a 1 rewritten', 'a 2 inserted', 'anchor 1 anchor-altered'],
    },
    {
      name: 'a head of an anchor removed',
      sql: [`DELETE FROM phaseline.anchored_heads WHERE anchor = 2 AND stream_id = 'm'`],
      online: ['anchor 2 anchor-altered', 'm 4 inserted'],
    },
    {
      name: 'a head added to an anchor',
      sql: [
        insertEventSql('m', 5, { transaction: `'3'` }),
        recomputeHashesSql('m', 5),
        `INSERT INTO phaseline.anchored_heads SELECT 2, 'x', version, hash FROM phaseline.streams WHERE stream_id = 'm'`,
        `UPDATE phaseline.anchored_heads SET version = 5, hash = (SELECT hash FROM phaseline.streams WHERE stream_id = 'm') WHERE anchor = 2 AND stream_id = 'm'`,
        `DELETE FROM phaseline.anchored_heads WHERE stream_id = 'x'`,
      ],
      online: ['anchor 2 anchor-altered'],
    },
    {
      name: 'an anchor in the middle removed',
      sql: ['DELETE FROM phaseline.anchored_heads WHERE anchor = 1', 'DELETE FROM phaseline.anchors WHERE number = 1'],
      online: [
        'a 1 inserted',
        'a 2 inserted',
        'anchor 1 anchor-missing',
        'anchor 2 anchor-altered',
        'job-done 1 inserted',
        'job-done 2 inserted',
      ],
      doctor: ['anchors'],
      withReceipt: [
        'a 1 inserted',
        'a 2 inserted',
        'anchor 1 anchor-missing',
        'anchor 1 anchor-missing',
        'anchor 2 anchor-altered',
        'job-done 1 inserted',
        'job-done 2 inserted',
      ],
      offline: [
        'a 1 inserted',
        'a 2 inserted',
        'anchor 2 anchor-missing',
        'job-done 1 inserted',
        'job-done 2 inserted',
      ],
    },
    {
      name: 'an anchor with another number',
      sql: [
        'ALTER TABLE phaseline.anchored_heads DROP CONSTRAINT anchored_heads_anchor_fkey',
        anchor(2, 'number = 3'),
        'UPDATE phaseline.anchored_heads SET anchor = 3 WHERE anchor = 2',
      ],
      online: ['anchor 2 anchor-missing', 'anchor 3 anchor-altered', 'anchor 3 anchor-forged'],
      doctor: ['anchors'],
      withReceipt: [
        'anchor 2 anchor-missing',
        'anchor 2 anchor-missing',
        'anchor 3 anchor-altered',
        'anchor 3 anchor-forged',
      ],
      offline: ['anchor 3 anchor-altered', 'anchor 3 anchor-forged', 'anchor 3 anchor-missing'],
    },
    {
      name: 'the rows of the anchors removed, their heads kept',
      sql: [
        'ALTER TABLE phaseline.anchored_heads DROP CONSTRAINT anchored_heads_anchor_fkey',
        'DELETE FROM phaseline.anchors',
      ],
      online: ['anchor 1 anchor-missing', 'anchor 2 anchor-missing'],
      withReceipt: ['anchor 1 anchor-missing', 'anchor 1 anchor-missing', 'anchor 2 anchor-missing'],
    },
  ],
};
