import type { AnchorRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import type { Paint } from '../output/paint.js';
import { formatCount } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

export interface AnchorsOptions {
  readonly limit: number;
}

/** Maximum number of anchors per request that the server accepts. */
const PAGE_SIZE = 200;
const KEY_CHARACTERS = 16;

/** `phaseline audit anchors`: lists the anchors of the log, newest first. */
export async function listAnchors(context: CommandContext, { limit }: AnchorsOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const items: AnchorRecord[] = [];
  let before: number | undefined;
  do {
    const page = await client.audit.anchors({ before, limit: Math.min(PAGE_SIZE, limit - items.length) }, { signal });
    items.push(...page.items);
    before = page.nextBefore;
  } while (before !== undefined && items.length < limit);
  const hasMore = before !== undefined;
  if (out.isStructured) out.writeDocument({ items, hasMore });
  else if (items.length === 0)
    out.writeMessage(
      'The log has no anchor yet. Write one with: phaseline audit anchor, or give the server an audit key.',
    );
  else out.writeLines(...renderAnchors(items, out.paint, { width: out.columns, isWide: out.isWide }));
  if (hasMore && !out.isStructured) out.writeMessage(`There are more anchors. Show them with --limit ${limit * 5}.`);
  return exitCode.ok;
}

/** One line per anchor, with what it and all earlier ones cover, and whether its receipt is kept outside of the database. */
function renderAnchors(
  anchors: readonly AnchorRecord[],
  paint: Paint,
  { width, isWide }: { readonly width: number | undefined; readonly isWide: boolean },
): string[] {
  const colours = { stored: paint.green, missing: paint.red, unknown: paint.dim };
  return renderTable<AnchorRecord>(
    [
      { title: 'ANCHOR', align: 'right', cell: ({ number }) => String(number) },
      { title: 'WHEN', cell: ({ anchoredAt }) => anchoredAt.slice(0, 19).replace('T', ' ') },
      { title: 'EVENTS', align: 'right', cell: ({ events }) => formatCount(events) },
      { title: 'STREAMS', align: 'right', cell: ({ streams }) => formatCount(streams) },
      { title: 'CHANGED', align: 'right', cell: ({ changedStreams }) => formatCount(changedStreams) },
      { title: 'RECEIPT', cell: ({ receipt }) => receipt, paint: (text, { receipt }) => colours[receipt](text) },
      ...(isWide ? [{ title: 'HASH', cell: ({ hash }: AnchorRecord) => hash }] : []),
      { title: 'KEY', cell: ({ keyId }) => keyId, short: ({ keyId }) => keyId.slice(0, KEY_CHARACTERS) },
    ],
    anchors,
    { width, title: paint.dim },
  );
}
