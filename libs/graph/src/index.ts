export { EmbeddedGraph } from './backend/embedded-graph.js';
export { Neo4jGraph, Neo4jServer, type Neo4jSettings } from './backend/neo4j-graph.js';
export type { Graph, GraphAnswer, GraphCall, GraphLimits, GraphSchema } from './graph.js';
export { GraphFileUnusable, loadGraph, parseGraphFile, type GraphFile } from './load-graph.js';
export { embeddedGraphs, Neo4jGraphs, type GraphHost } from './tools/graph-host.js';
export { graphPack } from './tools/graph-pack.js';
export { defaultMetamodel, metamodelSchema, type Metamodel } from './tools/metamodel.js';
