import { z } from 'zod';
import { contentHash, sha256, type FileChange, type WorkspaceReader } from '@phaseline/workspace';
import { yielding } from '../yield-loop.js';
import { SOURCES_DIRECTORY } from '../workspace/read-only.js';

export const SOURCES_INDEX = `${SOURCES_DIRECTORY}/index.jsonl`;

export const keptSourceSchema = z.object({
  /** Counted from 1; it is what citations name. */
  n: z.int().min(1),
  /** Where the text is kept. */
  file: z.string(),
  url: z.string(),
  /** Where it was asked for, when it came from elsewhere in the end. */
  asked: z.string().optional(),
  title: z.string(),
  via: z.string(),
  retrievedAt: z.iso.datetime(),
  contentType: z.string(),
  /** Of the bytes that came, and of the file that is kept. SHA-256 in hex. */
  sha256: z.string(),
  textSha256: z.string(),
  /** The line of the file that its text begins on. */
  textFrom: z.int().min(1),
});
export type KeptSource = z.infer<typeof keptSourceSchema>;

export interface Finding extends Pick<KeptSource, 'url' | 'asked' | 'title' | 'via' | 'retrievedAt' | 'contentType'> {
  /** What came, byte for byte. */
  readonly bytes: Uint8Array;
  /** The text of it, to be read and cited. */
  readonly text: string;
}

/** The sources that were kept so far. Lines that are none are left out. */
export async function readSources(workspace: WorkspaceReader): Promise<readonly KeptSource[]> {
  const bytes = await workspace.read(SOURCES_INDEX);
  if (!bytes) return [];
  const breathe = yielding();
  const sources: KeptSource[] = [];
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const pause = breathe();
    if (pause) await pause;
    const parsed = keptSourceSchema.safeParse(jsonOf(line));
    if (parsed.success) sources.push(parsed.data);
  }
  return sources;
}

/** Puts a source behind those there are; the same bytes from the same place are kept once. */
export async function keepSource(
  workspace: WorkspaceReader,
  finding: Finding,
): Promise<{ readonly source: KeptSource; readonly files: readonly FileChange[] }> {
  const { bytes, text, ...about } = finding;
  const sources = await readSources(workspace);
  const hash = sha256(bytes);
  const same = sources.find((one) => one.sha256 === hash && one.url === about.url && one.via === about.via);
  if (same && workspace.tree[same.file]?.hash === same.textSha256) return { source: same, files: [] };
  const n = sources.reduce((most, one) => Math.max(most, one.n), 0) + 1;
  const header = [
    `<!-- source ${n}: ${inComment(about.url)}`,
    `     retrieved ${about.retrievedAt}, sha256 ${hash} -->`,
    '',
    '',
  ].join('\n');
  const content = Buffer.from(`${header}${text.trimEnd()}\n`.toWellFormed().replaceAll('\0', ''));
  const file = `${SOURCES_DIRECTORY}/${n}.md`;
  const source = { n, file, ...about, sha256: hash, textSha256: contentHash(content), textFrom: 4 };
  const index = [...sources, source].map((one) => `${JSON.stringify(one)}\n`).join('');
  return {
    source,
    files: [
      { path: file, content },
      { path: SOURCES_INDEX, content: Buffer.from(index.toWellFormed()) },
    ],
  };
}

function inComment(text: string): string {
  return text.replaceAll('--', '%2D%2D').replace(/\s/g, ' ');
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
