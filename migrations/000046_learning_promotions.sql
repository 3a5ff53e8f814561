-- Promotions of learning traces: the projection sets who may read one, from the events of the stream learning-trace-<id>. Nothing else of a row changes.

GRANT UPDATE (scope) ON phaseline.learning_traces TO phaseline_service;
