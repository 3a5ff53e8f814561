-- Embeddings of learning traces, which the orchestrator asks PHASELINE_EMBEDDINGS_URL for after the projection. Nothing depends on them but the order
-- of what a search finds. They are removed with their learning traces, and asked for again after a rebuild.

CREATE TABLE phaseline.learning_embeddings (
  trace  uuid NOT NULL REFERENCES phaseline.learning_traces (id) ON DELETE CASCADE,
  -- Name of the model that made it; those of different models cannot be compared.
  model  text COLLATE "C" NOT NULL,
  -- Numbers of 4 bytes, little-endian, of a vector of length 1.
  vector bytea NOT NULL,
  PRIMARY KEY (trace, model)
);

GRANT SELECT, INSERT ON phaseline.learning_embeddings TO phaseline_service;
