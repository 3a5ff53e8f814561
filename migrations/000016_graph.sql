-- The graph: nodes with labels and edges with a type, both with properties. Queried in a subset of Cypher (libs/graph).
CREATE TABLE phaseline.graph_nodes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  graph      text COLLATE "C" NOT NULL,
  labels     text[] COLLATE "C" NOT NULL,
  properties jsonb NOT NULL,
  UNIQUE (graph, id)
);
CREATE INDEX graph_nodes_labels ON phaseline.graph_nodes USING gin (labels);
CREATE INDEX graph_nodes_properties ON phaseline.graph_nodes USING gin (properties jsonb_path_ops);

-- The foreign keys ensure that both ends are nodes of the same graph.
CREATE TABLE phaseline.graph_edges (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  graph      text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  from_id    bigint NOT NULL,
  to_id      bigint NOT NULL,
  properties jsonb NOT NULL,
  FOREIGN KEY (graph, from_id) REFERENCES phaseline.graph_nodes (graph, id),
  FOREIGN KEY (graph, to_id) REFERENCES phaseline.graph_nodes (graph, id)
);
CREATE INDEX graph_edges_from ON phaseline.graph_edges (graph, from_id, type);
CREATE INDEX graph_edges_to ON phaseline.graph_edges (graph, to_id, type);

-- The result of each call that changed a graph, stored in the transaction of the change: a call that is executed again receives it.
CREATE TABLE phaseline.graph_calls (
  job_id    uuid NOT NULL,
  call_id   text COLLATE "C" NOT NULL,
  graph     text COLLATE "C" NOT NULL,
  result    json NOT NULL,
  called_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, call_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.graph_nodes, phaseline.graph_edges TO phaseline_service;
GRANT SELECT, INSERT ON phaseline.graph_calls TO phaseline_service;
