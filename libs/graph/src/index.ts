export { EmbeddedGraph } from './backend/embedded-graph.js';
export { Neo4jGraph, Neo4jServer, type Neo4jSettings } from './backend/neo4j-graph.js';
export type { Graph, GraphResult, GraphLimits } from './graph.js';
export { loadGraph, parseGraphFile, type GraphFile } from './load-graph.js';
export { DEFAULT_METAMODEL } from './metamodel.js';
export { CypherError } from './cypher/cypher-error.js';
export type { Value } from './cypher/values.js';
export type { PlainValue } from './graph.js';
