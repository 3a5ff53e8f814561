import { readFile } from 'node:fs/promises';
import { REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rehearsalPolicies } from '../../apps/cli/src/stack/rehearsal-policies.js';
import { startAgentStack, type AgentStack } from './agent-stack.fixture.js';

const LAW = 'Every street light reports its state to the operator at least once per minute.';
const page = `<html><head><title>Street light code</title></head><body><h1>Code</h1><p>${LAW}</p></body></html>`;

function fileText(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}

let model: RehearsalServer;
let web: LocalServer;
let agents: AgentStack;
beforeAll(async () => {
  model = await startRehearsalServer({ policies: rehearsalPolicies });
  // A search engine, and the pages that it finds: two addresses of one page, and another one.
  web = await startLocalServer((request, response) => {
    if (!request.url!.startsWith('/search')) return response.setHeader('content-type', 'text/html').end(page);
    const base = `http://${request.headers.host}`;
    const results = [
      { title: 'Street light code', url: `${base}/code`, content: LAW },
      { title: 'Copy of the code', url: `${base}/copy`, content: LAW },
      {
        title: 'History',
        url: `${base}/history`,
        content: 'The first lamps were lit by hand, one street after another.',
      },
    ];
    return response.end(JSON.stringify({ results }));
  });
  agents = await startAgentStack({}, model.baseUrl, {
    env: {
      PHASELINE_MODEL: REHEARSAL_MODEL,
      PHASELINE_AGENTS_DIR: new URL('../../agents', import.meta.url).pathname,
      SEARXNG_URL: web.url,
      PHASELINE_ALLOWED_PRIVATE_NETWORKS: '127.0.0.1/32',
    },
  });
}, 180_000);
afterAll(async () => {
  await agents?.close();
  await model?.close();
  await web?.close();
});

it(
  'the Creator with research searches the graph and the web, and keeps what it found per requirement',
  { timeout: 180_000 },
  async () => {
    const { client } = agents;
    const content = await fileText('./short-document.md');
    const { jobId } = await client.submit({
      agent: 'creator-research',
      documents: [{ name: 'lamps.md', content }],
    });
    const { status, failure } = await client.wait(jobId);
    expect({ status, failure }).toEqual({ status: 'completed', failure: undefined });

    const paths = (await client.files(jobId)).map(({ path }) => path);
    // The folder exists from the start, with its purpose.
    expect(paths).toContain('requirements/README.md');
    const researched = paths.filter((path) => /^requirements\/REQ-[0-9a-f]{10}\/research\.md$/.test(path));
    expect(researched).toHaveLength(2);
    const read = (path: string): Promise<string> => client.readText(jobId, path);
    for (const path of researched) {
      expect(await read(path)).toMatch(/## In the graph\n\nNo similar requirements\.\n[^]*Source \d+ says: "/);
      const sources = JSON.parse(await read(path.replace('research.md', 'sources.json'))) as object[];
      expect(sources).toMatchObject([{ url: `${web.url}/code`, quote: LAW }]);
    }
    expect(await read('output/research.md')).toContain(LAW);
    // Two addresses of one page are one result.
    expect(await read('sources/1.md')).toContain(`also at ${web.url}/copy`);
    expect(await read('output/summary.md')).toMatch(
      /## Relevance and terms\n\n- GDPR \(gdpr\): \d+ of \d+ relevant[^]*- Entities: /,
    );
  },
);
