import type { EdgePattern, Expression, NodePattern, PathPattern } from './ast.js';
import type { TokenReader } from './token-reader.js';

/** Maximum path length that `*` follows. A longer path would visit the whole graph. */
const MAX_HOPS = 15;

/** Parses the properties of a node or an edge. Passed as an argument, because expressions contain paths and paths contain expressions. */
export type ParseProperties = (tokens: TokenReader) => readonly (readonly [string, Expression])[];

export function parsePaths(tokens: TokenReader, parseProperties: ParseProperties): readonly PathPattern[] {
  const paths: PathPattern[] = [];
  do paths.push(parsePath(tokens, parseProperties));
  while (tokens.takeSign(','));
  return paths;
}

/** Parses a path such as `p = (a:Label {name: $x})-[:TYPE*1..3]->(b)`. */
export function parsePath(tokens: TokenReader, parseProperties: ParseProperties): PathPattern {
  let variable: string | undefined;
  if (tokens.isSign('=', 1)) {
    variable = tokens.takeName('a variable');
    tokens.expectSign('=');
  }
  if (tokens.isWord('SHORTESTPATH') || tokens.isWord('ALLSHORTESTPATHS')) tokens.unsupported('shortestPath');
  const nodes: NodePattern[] = [parseNode(tokens, parseProperties)];
  const edges: EdgePattern[] = [];
  while (tokens.isSign('-') || (tokens.isSign('<') && tokens.isSign('-', 1))) {
    edges.push(parseEdge(tokens, parseProperties));
    nodes.push(parseNode(tokens, parseProperties));
  }
  return { variable, nodes, edges };
}

function parseNode(tokens: TokenReader, parseProperties: ParseProperties): NodePattern {
  tokens.expectSign('(');
  const variable = parseOptionalName(tokens);
  const labels: string[] = [];
  while (tokens.takeSign(':')) labels.push(tokens.takeName('a label'));
  if (tokens.isSign('|')) tokens.unsupported('A choice of labels');
  const properties = tokens.isSign('{') ? parseProperties(tokens) : [];
  if (tokens.isWord('WHERE')) tokens.unsupported('WHERE inside a pattern');
  tokens.expectSign(')');
  return { variable, labels, properties };
}

function parseEdge(tokens: TokenReader, parseProperties: ParseProperties): EdgePattern {
  const leftwards = tokens.takeSign('<');
  tokens.expectSign('-');
  let variable: string | undefined;
  const types: string[] = [];
  let hops: EdgePattern['hops'];
  let properties: EdgePattern['properties'] = [];
  if (tokens.takeSign('[')) {
    variable = parseOptionalName(tokens);
    if (tokens.takeSign(':')) {
      do {
        tokens.takeSign(':');
        types.push(tokens.takeName('a relationship type'));
      } while (tokens.takeSign('|'));
    }
    if (tokens.takeSign('*')) hops = parseHops(tokens);
    if (tokens.isSign('{')) properties = parseProperties(tokens);
    tokens.expectSign(']');
  }
  tokens.expectSign('-');
  const rightwards = tokens.takeSign('>');
  const direction = leftwards === rightwards ? 'both' : leftwards ? 'in' : 'out';
  return { variable, types, direction, properties, hops };
}

function parseHops(tokens: TokenReader): { min: number; max: number } {
  const min = parseHopCount(tokens);
  if (!tokens.takeSign('..')) return min === undefined ? { min: 1, max: MAX_HOPS } : { min, max: min };
  return { min: min ?? 1, max: parseHopCount(tokens) ?? MAX_HOPS };
}

function parseHopCount(tokens: TokenReader): number | undefined {
  if (tokens.peek().kind !== 'number') return undefined;
  const count = Number(tokens.next().text);
  if (!Number.isInteger(count) || count > MAX_HOPS) tokens.unsupported(`A path of more than ${MAX_HOPS} relationships`);
  return count;
}

function parseOptionalName(tokens: TokenReader): string | undefined {
  const { kind } = tokens.peek();
  return kind === 'word' || kind === 'quoted' ? tokens.takeName('a variable') : undefined;
}
