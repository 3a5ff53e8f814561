import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Package {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const projects = new Map(
  globSync('{apps,libs,libs/packs}/*/package.json', { cwd: ROOT }).map((file) => {
    const read = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Package;
    return [read.name, read];
  }),
);

const dependenciesOf = (name: string): readonly string[] => Object.keys(projects.get(name)?.dependencies ?? {});

/** Returns the names of all packages that a project loads at run time: projects with their own dependencies, and third-party packages. */
function loadedBy(app: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const pending = [`@phaseline/${app}`];
  for (let name = pending.pop(); name !== undefined; name = pending.pop())
    for (const dependency of dependenciesOf(name)) {
      if (loaded.has(dependency)) continue;
      loaded.add(dependency);
      pending.push(dependency);
    }
  return loaded;
}

const listProjects = (...names: readonly string[]): readonly string[] => names.map((name) => `@phaseline/${name}`);
const FORMATS = listProjects('formats');
const GRAPH = listProjects('graph');
const MCP = listProjects('mcp');
const REMOTE = listProjects('remote-packs');

/** Third-party packages that parse documents or connect to graphs and MCP servers: the dependencies of no other library. */
function findClientsAndParsers(): readonly string[] {
  const heavy = new Set([...FORMATS, ...GRAPH, ...MCP]);
  const shared = new Set([...projects.keys()].filter((name) => !heavy.has(name)).flatMap(dependenciesOf));
  return [...heavy].flatMap(dependenciesOf).filter((name) => !name.startsWith('@phaseline/') && !shared.has(name));
}

describe('the packages that a service loads', () => {
  it('are found for every kind of document, graph and tool server', () => {
    expect(projects.size).toBeGreaterThan(30);
    expect(loadedBy('tool-runner')).toContain('@phaseline/formats');
    expect(findClientsAndParsers()).toEqual(
      expect.arrayContaining(['@modelcontextprotocol/client', 'neo4j-driver', 'unpdf', 'parse5']),
    );
    for (const name of findClientsAndParsers()) expect(loadedBy('tool-runner')).toContain(name);
  });

  it.each(['strategic-worker', 'tactical-worker'])('have no parser, graph or MCP client in the %s', (app) => {
    const forbidden = [...FORMATS, ...GRAPH, ...MCP, ...REMOTE, ...findClientsAndParsers()];
    expect(forbidden.filter((name) => loadedBy(app).has(name))).toEqual([]);
  });

  it.each([
    [
      'orchestrator',
      [
        ...FORMATS,
        ...GRAPH,
        ...REMOTE,
        ...listProjects('execution', 'inline-packs', 'documents', 'harness', 'testing'),
      ],
    ],
    [
      'cli',
      [...FORMATS, ...MCP, ...REMOTE, ...listProjects('execution', 'inline-packs', 'workers', 'harness', 'testing')],
    ],
  ])('have no code in the %s that runs phases or tools', (app, forbidden) => {
    expect(forbidden.filter((name) => loadedBy(app).has(name))).toEqual([]);
  });
});
