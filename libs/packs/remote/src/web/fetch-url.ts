import { searchSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { download } from './download.js';
import type { AddressRule } from '@phaseline/sandbox';
import { storeSource } from '@phaseline/documents';
import { readPageText } from './page-text.js';

const MAX_PAGE_BYTES = 10 * 1024 * 1024;
/** Characters that the result shows; the rest is in the file. */
const MAX_SHOWN_CHARACTERS = 6_000;

export function fetchUrl(rule: AddressRule): ToolRun<typeof searchSpec, 'fetch_url'> {
  return async ({ signal }, { url }) => {
    const page = await download(url, rule, MAX_PAGE_BYTES, { signal });
    const { title, text } = await readPageText(page, signal);
    const finding = {
      url: page.url,
      ...(page.url === new URL(url).href ? {} : { requestedUrl: url }),
      title: title.slice(0, 500),
      tool: 'fetch_url',
      retrievedAt: new Date().toISOString(),
      contentType: page.contentType,
      bytes: page.bytes,
      text,
    };
    return {
      content: '',
      rebase: async (workspace) => {
        const { source, files } = await storeSource(workspace, finding);
        const more =
          text.length > MAX_SHOWN_CHARACTERS
            ? `\n[${text.length - MAX_SHOWN_CHARACTERS} more characters in ${source.file}]`
            : '';
        const head = [
          `Source ${source.number}: ${title || page.url}`,
          `Address: ${page.url}`,
          `Stored in ${source.file} (${text.length} characters), retrieved ${source.retrievedAt}.`,
        ];
        return { content: `${head.join('\n')}\n\n${text.slice(0, MAX_SHOWN_CHARACTERS)}${more}`, files };
      },
    };
  };
}
