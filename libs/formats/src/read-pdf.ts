import { getDocumentProxy } from 'unpdf';
import { ToolError } from '@phaseline/contracts';
import { MAX_PAGES, MAX_TEXT_CHARACTERS } from './limits.js';
import { yieldOrAbort, type SourceDocument } from '@phaseline/documents';
import { buildBlocks, normaliseOutlineTitle } from './pdf-layout.js';
import { buildLines, type PageFrame, type PdfItem, removeRunningHeads } from './pdf-lines.js';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Pdf['getPage']>>;

/** A PDF with fewer characters per page on average is treated as a scan. */
const MIN_CHARACTERS_PER_PAGE = 8;

/**
 * Reads the text layer of a PDF page by page. Removes running heads, running feet and page numbers, and joins words hyphenated at
 * the end of a line. Locations are pages.
 *
 * Throws `document_encrypted`, `document_malformed`, `document_too_long` or, for a scan, `document_no_text`.
 */
export async function readPdf(bytes: Uint8Array, path: string, signal: AbortSignal): Promise<SourceDocument> {
  const pdf = await openPdf(bytes, path);
  try {
    if (pdf.numPages > MAX_PAGES) {
      throw new ToolError(
        'document_too_long',
        `'${path}' has ${pdf.numPages} pages; the maximum is ${MAX_PAGES}. Split it and submit the parts.`,
      );
    }
    const frames: PageFrame[] = [];
    const empty: number[] = [];
    let characters = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      await yieldOrAbort(signal);
      const frame = await readPage(pdf, number, path);
      const found = frame.lines.reduce((sum, line) => sum + line.text.length, 0);
      if (found === 0) empty.push(number);
      characters += found;
      if (characters > MAX_TEXT_CHARACTERS) {
        throw new ToolError(
          'document_too_long',
          `'${path}' has more than ${MAX_TEXT_CHARACTERS} characters of text. Split it and submit the parts.`,
        );
      }
      frames.push(frame);
    }
    if (characters < pdf.numPages * MIN_CHARACTERS_PER_PAGE) {
      throw new ToolError(
        'document_no_text',
        `'${path}' has ${pdf.numPages} page(s) but almost no text, so it is probably a scan. Apply text recognition (OCR) and submit the result.`,
      );
    }
    const { lines, removed } = removeRunningHeads(frames);
    const notes = [
      ...(removed > 0 ? [`${removed} running headers, footers and page numbers were omitted.`] : []),
      ...(empty.length > 0
        ? [`Pages without text, possibly images: ${empty.slice(0, 40).join(', ')}${empty.length > 40 ? ', …' : ''}.`]
        : []),
    ];
    await yieldOrAbort(signal);
    return { format: 'pdf', blocks: buildBlocks(lines, await readOutline(pdf)), units: pdf.numPages, notes };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array, path: string): Promise<Pdf> {
  try {
    // The parser takes ownership of the buffer, so it gets a copy. It must not search for system fonts.
    return await getDocumentProxy(new Uint8Array(bytes), {
      useSystemFonts: false,
      disableFontFace: true,
      verbosity: 0,
    });
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'PasswordException') {
      throw new ToolError(
        'document_encrypted',
        `'${path}' is protected by a password. Remove the protection and submit it again.`,
        { cause },
      );
    }
    throw buildMalformedError(path, cause);
  }
}

function buildMalformedError(path: string, cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ToolError(
    'document_malformed',
    `'${path}' is a damaged PDF: ${why}. Export it again and submit the new file.`,
    { cause },
  );
}

async function readPage(pdf: Pdf, number: number, path: string): Promise<PageFrame> {
  let page: Page | undefined;
  try {
    page = await pdf.getPage(number);
    const viewport = page.getViewport({ scale: 1 });
    const content = await page.getTextContent({ includeMarkedContent: false });
    const items = content.items.flatMap((item): PdfItem[] => {
      if (!('str' in item)) return [];
      const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform as number[];
      const [x = 0, y = 0] = viewport.convertToViewportPoint(e, f) as number[];
      const mono = content.styles[item.fontName]?.fontFamily === 'monospace';
      // Rotated text, such as watermarks and stamps, is not part of any sentence.
      const isRotated =
        Math.abs(Math.hypot(a, b)) > 0 && Math.abs(b) > Math.abs(a) * 0.1 !== (viewport.rotation % 180 !== 0);
      if (isRotated) return [];
      return [
        {
          text: item.str + (item.hasEOL && item.str !== '' ? ' ' : ''),
          x,
          y,
          width: item.width,
          size: Math.hypot(c, d) || item.height,
          font: item.fontName,
          isMonospace: mono,
        },
      ];
    });
    return { page: number, height: viewport.height, lines: buildLines(number, items) };
  } catch (cause) {
    throw buildMalformedError(`${path}' page ${number} of '${path}`, cause);
  } finally {
    page?.cleanup();
  }
}

async function readOutline(pdf: Pdf): Promise<Map<string, number>> {
  const titles = new Map<string, number>();
  type Entry = { title: string; items: Entry[] };
  const walk = (entries: readonly Entry[], level: number): void => {
    for (const entry of entries) {
      if (titles.size > 5_000 || level > 8) return;
      titles.set(normaliseOutlineTitle(entry.title), level);
      walk(entry.items, level + 1);
    }
  };
  try {
    walk(((await pdf.getOutline()) ?? []) as Entry[], 1);
  } catch {
    // Without a readable outline, some headings are missed, but no text.
  }
  return titles;
}
