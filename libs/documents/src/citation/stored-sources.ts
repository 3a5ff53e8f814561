import { z } from 'zod';
import { contentHash, sha256, SOURCES_DIRECTORY, type FileChange, type WorkspaceReader } from '@phaseline/workspace';
import { toWellFormedText, createYielder } from '@phaseline/basics';

const SOURCES_INDEX = `${SOURCES_DIRECTORY}/index.jsonl`;

const storedSourceSchema = z.object({
  /** Number of the source, starting at 1; citations refer to it. */
  number: z.int().min(1),
  /** Path of the file with the text. */
  file: z.string(),
  url: z.string(),
  /** The requested address, if it redirected to another one. */
  requestedUrl: z.string().optional(),
  title: z.string(),
  tool: z.string(),
  retrievedAt: z.iso.datetime(),
  contentType: z.string(),
  /** SHA-256 of the retrieved bytes in hex. */
  sha256: z.string(),
  /** SHA-256 of the stored file in hex. */
  textSha256: z.string(),
  /** Line of the file where the text begins, after the header comment. */
  textLine: z.int().min(1),
});
export type StoredSource = z.infer<typeof storedSourceSchema>;

export interface RetrievedSource extends Pick<
  StoredSource,
  'url' | 'requestedUrl' | 'title' | 'tool' | 'retrievedAt' | 'contentType'
> {
  /** The retrieved bytes, unchanged. */
  readonly bytes: Uint8Array;
  /** The text to read and cite. */
  readonly text: string;
}

/** Returns the stored sources. Skips invalid lines of the index. */
export async function readSources(workspace: WorkspaceReader): Promise<readonly StoredSource[]> {
  const bytes = await workspace.read(SOURCES_INDEX);
  if (!bytes) return [];
  const yieldIfDue = createYielder();
  const sources: StoredSource[] = [];
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const pause = yieldIfDue();
    if (pause) await pause;
    const parsed = storedSourceSchema.safeParse(tryParseJson(line));
    if (parsed.success) sources.push(parsed.data);
  }
  return sources;
}

/** Returns the file changes that store a source under the next number. The same bytes from the same address are stored once. */
export async function storeSource(
  workspace: WorkspaceReader,
  finding: RetrievedSource,
): Promise<{ readonly source: StoredSource; readonly files: readonly FileChange[] }> {
  const { bytes, text, ...about } = finding;
  const sources = await readSources(workspace);
  const hash = sha256(bytes);
  const same = sources.find((one) => one.sha256 === hash && one.url === about.url && one.tool === about.tool);
  if (same && workspace.tree[same.file]?.hash === same.textSha256) return { source: same, files: [] };
  const number = sources.reduce((highest, one) => Math.max(highest, one.number), 0) + 1;
  const header = [
    `<!-- source ${number}: ${escapeComment(about.url)}`,
    `     retrieved ${about.retrievedAt}, sha256 ${hash} -->`,
    '',
    '',
  ].join('\n');
  const content = Buffer.from(toWellFormedText(`${header}${text.trimEnd()}\n`));
  const file = `${SOURCES_DIRECTORY}/${number}.md`;
  const source = { number, file, ...about, sha256: hash, textSha256: contentHash(content), textLine: 4 };
  const index = [...sources, source].map((one) => `${JSON.stringify(one)}\n`).join('');
  return {
    source,
    files: [
      { path: file, content },
      { path: SOURCES_INDEX, content: Buffer.from(index.toWellFormed()) },
    ],
  };
}

function escapeComment(text: string): string {
  return text.replaceAll('--', '%2D%2D').replace(/\s/g, ' ');
}

function tryParseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
