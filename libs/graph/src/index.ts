export { EmbeddedGraph } from './backend/embedded-graph.js';
export { Neo4jGraph, Neo4jServer, type Neo4jSettings } from './backend/neo4j-graph.js';
export type { Graph, GraphAnswer, GraphCall, GraphLimits, GraphSchema } from './graph.js';
export { GraphFileUnusable, loadGraph, parseGraphFile, type GraphFile } from './load-graph.js';
export { defaultMetamodel, metamodelSchema, type Metamodel } from './metamodel.js';
export { CypherError } from './cypher/cypher-error.js';
export type { Value } from './cypher/values.js';
export type { Plain } from './graph.js';
export { FULFILMENT, TARGETS } from './metamodel.js';
