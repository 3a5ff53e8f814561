import { readFile, rename, writeFile } from 'node:fs/promises';
import { openAuditKey, readAuditKey, RECEIPTS_FILE, storeReceipts } from '@phaseline/audit';
import { LIMITS, recomputeHashesSql, set, type Cases, type LogCase } from './tampering-case.fixture.js';

/** Changes to keys, receipts, and all newest anchors together. Most of them are detected only with a trusted key or a receipt. */
export const receiptCases: Cases<LogCase> = {
  anchors: [
    {
      name: 'the keys of the anchors removed',
      sql: ['ALTER TABLE phaseline.anchors DROP CONSTRAINT anchors_key_id_fkey', 'DELETE FROM phaseline.audit_keys'],
      online: ['anchor 1 anchor-forged', 'anchor 2 anchor-forged'],
      // The anchors are signed with the key of the export, so the export contains it.
      offline: [],
    },
    {
      name: 'a key replaced by another one with the same id',
      sql: [
        'ALTER TABLE phaseline.audit_keys DROP CONSTRAINT audit_keys_check',
        `UPDATE phaseline.audit_keys SET public_key = overlay(public_key PLACING '\\x00'::bytea FROM 20)`,
      ],
      online: ['anchor 1 anchor-forged', 'anchor 2 anchor-forged'],
      offline: [],
    },
    {
      name: 'the newest anchor removed, its events kept',
      sql: ['DELETE FROM phaseline.anchored_heads WHERE anchor = 2', 'DELETE FROM phaseline.anchors WHERE number = 2'],
      online: [],
      withReceipt: ['anchor 2 anchor-missing'],
      limit: LIMITS.newest,
    },
    {
      name: 'the whole database rolled back to an older state',
      sql: [
        `DELETE FROM phaseline.events WHERE transaction_id >= (SELECT horizon FROM phaseline.anchors WHERE number = 1)`,
        recomputeHashesSql('m', 3),
        recomputeHashesSql('a', 2),
        'DELETE FROM phaseline.anchored_heads WHERE anchor = 2',
        'DELETE FROM phaseline.anchors WHERE number = 2',
      ],
      online: [],
      withReceipt: ['anchor 2 anchor-missing'],
      limit: LIMITS.newest,
    },
    {
      name: 'the whole log emptied with its anchors',
      sql: [
        'TRUNCATE phaseline.events, phaseline.streams, phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys',
      ],
      online: [],
      withReceipt: ['anchor 1 anchor-missing'],
      limit: LIMITS.newest,
    },
    {
      name: 'all anchors created again with another key over a rewritten log',
      tamper: async (log) => {
        await log.tamper(
          set(`data = '{}'`, 2),
          recomputeHashesSql('m'),
          'TRUNCATE phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys',
        );
        await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
      },
      online: [],
      withKey: ['anchor 1 anchor-other-key'],
      withReceipt: ['anchor 1 receipt-mismatch', 'anchor 2 anchor-missing'],
      limit: LIMITS.key,
    },
    {
      name: 'all anchors created again with the key of the service over a rewritten log',
      tamper: async (log) => {
        await log.tamper(
          set(`data = '{}'`, 2),
          recomputeHashesSql('m'),
          'TRUNCATE phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys',
        );
        await log.anchorAll();
      },
      online: [],
      withReceipt: ['anchor 1 receipt-mismatch', 'anchor 2 anchor-missing'],
      limit: LIMITS.ownKey,
    },
    {
      name: 'one more anchor, created with another key over a rewritten tail',
      tamper: async (log) => {
        await log.tamper(
          `UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'a' AND version = 3`,
          recomputeHashesSql('a', 3),
        );
        await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
      },
      online: [],
      withKey: ['anchor 3 anchor-other-key'],
      limit: LIMITS.key,
    },
    {
      name: 'the last receipts cut off with their anchors',
      tamper: async (log) => {
        await log.tamper(
          'DELETE FROM phaseline.anchored_heads WHERE anchor = 2',
          'DELETE FROM phaseline.anchors WHERE number = 2',
        );
        const path = `${log.folder}/receipts/${RECEIPTS_FILE}`;
        const [first] = (await readFile(path, 'utf8')).split('\n');
        await writeFile(path, `${first}\n`);
      },
      online: [],
      withReceipt: [],
      limit: LIMITS.receipts,
    },
    {
      name: 'the receipts replaced by those of another log',
      tamper: async (log) => {
        await log.tamper('TRUNCATE phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys');
        await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
        await storeReceipts(log.service, `${log.folder}/others`);
        await log.tamper('TRUNCATE phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys');
        await log.anchorAll(await readAuditKey(`${log.folder}/key.pem`));
        await rename(`${log.folder}/others/${RECEIPTS_FILE}`, `${log.folder}/receipts/${RECEIPTS_FILE}`);
      },
      online: [],
      withReceipt: ['anchor 1 receipt-mismatch'],
      limit: LIMITS.receipts,
    },
  ],
};
