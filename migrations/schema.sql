-- The schema that all migrations together produce, for reading: nothing executes this file. It is dumped from the system catalogues of a
-- migrated database without pgvector. After a new migration refresh it:
--   npx vitest run libs/event-store/src/migrations/schema.int.spec.ts -u

CREATE TABLE phaseline.anchored_heads (
  anchor bigint NOT NULL,
  stream_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT anchored_heads_anchor_fkey FOREIGN KEY (anchor) REFERENCES phaseline.anchors(number),
  CONSTRAINT anchored_heads_pkey PRIMARY KEY (anchor, stream_id)
);
CREATE INDEX anchored_heads_stream ON phaseline.anchored_heads USING btree (stream_id, version);
CREATE TRIGGER anchored_heads_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.anchored_heads FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
ALTER TABLE phaseline.anchored_heads ENABLE ALWAYS TRIGGER anchored_heads_are_append_only;
GRANT SELECT ON TABLE phaseline.anchored_heads TO phaseline_service;

CREATE TABLE phaseline.anchors (
  number bigint NOT NULL,
  previous_hash bytea NOT NULL,
  anchored_at timestamp with time zone NOT NULL,
  key_id bytea NOT NULL,
  horizon xid8 NOT NULL,
  "position" bigint NOT NULL,
  streams bigint NOT NULL,
  events bigint NOT NULL,
  heads bigint NOT NULL,
  root bytea NOT NULL,
  hash bytea NOT NULL,
  signature bytea NOT NULL,
  CONSTRAINT anchors_key_id_fkey FOREIGN KEY (key_id) REFERENCES phaseline.audit_keys(key_id),
  CONSTRAINT anchors_number_check CHECK ((number > 0)),
  CONSTRAINT anchors_pkey PRIMARY KEY (number)
);
CREATE TRIGGER anchors_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.anchors FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
ALTER TABLE phaseline.anchors ENABLE ALWAYS TRIGGER anchors_are_append_only;
GRANT SELECT ON TABLE phaseline.anchors TO phaseline_service;

CREATE TABLE phaseline.audit_keys (
  key_id bytea NOT NULL,
  public_key bytea NOT NULL,
  published_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT audit_keys_check CHECK ((key_id = sha256(public_key))),
  CONSTRAINT audit_keys_pkey PRIMARY KEY (key_id)
);
CREATE TRIGGER audit_keys_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.audit_keys FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
ALTER TABLE phaseline.audit_keys ENABLE ALWAYS TRIGGER audit_keys_are_append_only;
GRANT SELECT ON TABLE phaseline.audit_keys TO phaseline_service;

CREATE TABLE phaseline.blob_manifests (
  hash bytea NOT NULL,
  size bigint NOT NULL,
  pieces integer NOT NULL,
  stored_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT blob_manifests_check CHECK ((pieces = ((size + 1048575) / 1048576))),
  CONSTRAINT blob_manifests_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT blob_manifests_pkey PRIMARY KEY (hash),
  CONSTRAINT blob_manifests_size_check CHECK ((size > 1048576))
);
CREATE TRIGGER blob_manifests_are_append_only BEFORE DELETE OR UPDATE OF hash, size, pieces OR TRUNCATE ON phaseline.blob_manifests FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
ALTER TABLE phaseline.blob_manifests ENABLE ALWAYS TRIGGER blob_manifests_are_append_only;
GRANT SELECT ON TABLE phaseline.blob_manifests TO phaseline_service;

CREATE TABLE phaseline.blob_mark_progress (
  only_row boolean NOT NULL DEFAULT true,
  transaction_id xid8 NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT blob_mark_progress_only_row_check CHECK (only_row),
  CONSTRAINT blob_mark_progress_pkey PRIMARY KEY (only_row)
);

CREATE TABLE phaseline.blob_marks (
  hash bytea NOT NULL,
  CONSTRAINT blob_marks_pkey PRIMARY KEY (hash)
);
CREATE TRIGGER blob_marks_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.blob_marks FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.blob_marks ENABLE ALWAYS TRIGGER blob_marks_are_append_only;
GRANT SELECT ON TABLE phaseline.blob_marks TO phaseline_service;

CREATE TABLE phaseline.blob_pieces (
  hash bytea NOT NULL,
  number integer NOT NULL,
  piece bytea NOT NULL,
  CONSTRAINT blob_pieces_hash_fkey FOREIGN KEY (hash) REFERENCES phaseline.blob_manifests(hash) ON DELETE CASCADE,
  CONSTRAINT blob_pieces_number_check CHECK ((number >= 0)),
  CONSTRAINT blob_pieces_piece_fkey FOREIGN KEY (piece) REFERENCES phaseline.blobs(hash),
  CONSTRAINT blob_pieces_pkey PRIMARY KEY (hash, number)
);
CREATE INDEX blob_pieces_piece ON phaseline.blob_pieces USING btree (piece);
CREATE TRIGGER blob_pieces_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.blob_pieces FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
ALTER TABLE phaseline.blob_pieces ENABLE ALWAYS TRIGGER blob_pieces_are_append_only;
GRANT SELECT ON TABLE phaseline.blob_pieces TO phaseline_service;

CREATE TABLE phaseline.blobs (
  hash bytea NOT NULL,
  size bigint GENERATED ALWAYS AS (octet_length(content)) STORED,
  content bytea STORAGE EXTERNAL NOT NULL,
  stored_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT blobs_check CHECK ((hash = sha256(content))),
  CONSTRAINT blobs_hold_one_piece CHECK ((octet_length(content) <= 1048576)),
  CONSTRAINT blobs_pkey PRIMARY KEY (hash)
);
CREATE TRIGGER blobs_are_append_only BEFORE DELETE OR UPDATE OF hash, content OR TRUNCATE ON phaseline.blobs FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only;
GRANT INSERT, SELECT ON TABLE phaseline.blobs TO phaseline_service;

CREATE TABLE phaseline.cache_writers (
  job_id uuid NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  CONSTRAINT cache_writers_pkey PRIMARY KEY (job_id, collection)
);
CREATE INDEX cache_writers_tenant ON phaseline.cache_writers USING btree (tenant, collection);
GRANT INSERT, SELECT ON TABLE phaseline.cache_writers TO phaseline_service;

CREATE TABLE phaseline.cached_requirements (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  collection text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  requirement_id text COLLATE "C" NOT NULL,
  content text NOT NULL,
  modality text NOT NULL,
  section text[] NOT NULL,
  citation jsonb NOT NULL,
  confidence real NOT NULL,
  written_by uuid NOT NULL,
  written_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  status text COLLATE "C" NOT NULL DEFAULT 'pending'::text,
  token integer NOT NULL DEFAULT 0,
  claimed_by uuid,
  claim_call text COLLATE "C",
  lease_expires_at timestamp with time zone,
  note text,
  ended_at timestamp with time zone,
  CONSTRAINT cached_requirements_check CHECK (((status = 'claimed'::text) = (lease_expires_at IS NOT NULL))),
  CONSTRAINT cached_requirements_collection_digest_key UNIQUE (collection, digest),
  CONSTRAINT cached_requirements_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
  CONSTRAINT cached_requirements_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT cached_requirements_pkey PRIMARY KEY (id),
  CONSTRAINT cached_requirements_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'claimed'::text, 'done'::text, 'failed'::text])))
) WITH (fillfactor=70);
CREATE INDEX cached_requirements_claims ON phaseline.cached_requirements USING btree (claimed_by, claim_call) WHERE (status = 'claimed'::text);
CREATE INDEX cached_requirements_ended ON phaseline.cached_requirements USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX cached_requirements_open ON phaseline.cached_requirements USING btree (collection, id) WHERE (status = ANY (ARRAY['pending'::text, 'claimed'::text]));
GRANT SELECT ON TABLE phaseline.cached_requirements TO phaseline_service;

CREATE TABLE phaseline.child_jobs (
  child_id uuid NOT NULL,
  parent_id uuid NOT NULL,
  phase integer NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  CONSTRAINT child_jobs_pkey PRIMARY KEY (child_id)
);
CREATE INDEX child_jobs_parent ON phaseline.child_jobs USING btree (parent_id);
GRANT INSERT, SELECT ON TABLE phaseline.child_jobs TO phaseline_service;

CREATE TABLE phaseline.cold_archives (
  archive text COLLATE "C" NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  sha256 bytea NOT NULL,
  bytes bigint NOT NULL,
  events bigint NOT NULL,
  first_transaction_id xid8 NOT NULL,
  first_position bigint NOT NULL,
  last_transaction_id xid8 NOT NULL,
  last_position bigint NOT NULL,
  moved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT cold_archives_pkey PRIMARY KEY (archive)
);
CREATE INDEX cold_archives_correlation ON phaseline.cold_archives USING btree (correlation_id);
CREATE INDEX cold_archives_tail ON phaseline.cold_archives USING btree (last_transaction_id, last_position);
CREATE TRIGGER cold_archives_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.cold_archives FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.cold_archives ENABLE ALWAYS TRIGGER cold_archives_are_append_only;
GRANT SELECT ON TABLE phaseline.cold_archives TO phaseline_archivist;
GRANT SELECT ON TABLE phaseline.cold_archives TO phaseline_service;

CREATE TABLE phaseline.cold_candidates (
  correlation_id text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT cold_candidates_pkey PRIMARY KEY (correlation_id)
);
CREATE INDEX cold_candidates_ended ON phaseline.cold_candidates USING btree (tenant, ended_at, correlation_id);
GRANT SELECT ON TABLE phaseline.cold_candidates TO phaseline_service;

CREATE TABLE phaseline.cold_streams (
  stream_id text COLLATE "C" NOT NULL,
  archive text COLLATE "C" NOT NULL,
  CONSTRAINT cold_streams_archive_fkey FOREIGN KEY (archive) REFERENCES phaseline.cold_archives(archive),
  CONSTRAINT cold_streams_pkey PRIMARY KEY (stream_id)
);
CREATE INDEX cold_streams_archive ON phaseline.cold_streams USING btree (archive);
CREATE TRIGGER cold_streams_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.cold_streams FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.cold_streams ENABLE ALWAYS TRIGGER cold_streams_are_append_only;
GRANT SELECT ON TABLE phaseline.cold_streams TO phaseline_archivist;
GRANT SELECT ON TABLE phaseline.cold_streams TO phaseline_service;

CREATE TABLE phaseline.costs_template (
  job_id uuid NOT NULL,
  day date NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  steps bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  CONSTRAINT costs_template_pkey PRIMARY KEY (job_id, day, agent, model)
);
CREATE INDEX costs_template_day_idx ON phaseline.costs_template USING btree (day);

CREATE TABLE phaseline.costs_v1 (
  job_id uuid NOT NULL,
  day date NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  steps bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  CONSTRAINT costs_v1_pkey PRIMARY KEY (job_id, day, agent, model)
) WITH (fillfactor=90);
CREATE INDEX costs_v1_day_idx ON phaseline.costs_v1 USING btree (day);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.costs_v1 TO phaseline_service;

CREATE TABLE phaseline.dead_letters (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  queue text NOT NULL,
  message_id text NOT NULL,
  enqueued_at timestamp with time zone,
  payload json,
  payload_text text,
  reason text NOT NULL,
  attempts integer NOT NULL,
  failed_at timestamp with time zone NOT NULL DEFAULT now(),
  retried_at timestamp with time zone,
  discarded_at timestamp with time zone,
  discarded_by text,
  discard_reason text,
  CONSTRAINT dead_letters_check CHECK (((payload IS NULL) <> (payload_text IS NULL))),
  CONSTRAINT dead_letters_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_letters_closed ON phaseline.dead_letters USING btree (COALESCE(retried_at, discarded_at)) WHERE (COALESCE(retried_at, discarded_at) IS NOT NULL);
CREATE UNIQUE INDEX dead_letters_once ON phaseline.dead_letters USING btree (queue, message_id, enqueued_at);
CREATE INDEX dead_letters_open ON phaseline.dead_letters USING btree (queue, message_id) WHERE ((retried_at IS NULL) AND (discarded_at IS NULL));
CREATE INDEX dead_letters_queue ON phaseline.dead_letters USING btree (queue, id);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.dead_letters TO phaseline_service;

CREATE TABLE phaseline.decisions_template (
  job_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT decisions_template_pkey PRIMARY KEY (job_id, kind, name, scope, version, outcome)
);
CREATE INDEX decisions_template_kind_name_idx ON phaseline.decisions_template USING btree (kind, name);

CREATE TABLE phaseline.decisions_v1 (
  job_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT decisions_v1_pkey PRIMARY KEY (job_id, kind, name, scope, version, outcome)
) WITH (fillfactor=90);
CREATE INDEX decisions_v1_kind_name_idx ON phaseline.decisions_v1 USING btree (kind, name);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.decisions_v1 TO phaseline_service;

CREATE TABLE phaseline.encrypted_blobs (
  correlation_id text COLLATE "C" NOT NULL,
  name bytea NOT NULL,
  content bytea STORAGE EXTERNAL NOT NULL,
  stored_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT encrypted_blobs_correlation_id_fkey FOREIGN KEY (correlation_id) REFERENCES phaseline.job_keys(correlation_id),
  CONSTRAINT encrypted_blobs_name_check CHECK ((octet_length(name) = 32)),
  CONSTRAINT encrypted_blobs_pkey PRIMARY KEY (correlation_id, name)
);
CREATE TRIGGER encrypted_blobs_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.encrypted_blobs FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('erase_job_key');
ALTER TABLE phaseline.encrypted_blobs ENABLE ALWAYS TRIGGER encrypted_blobs_are_append_only;
GRANT SELECT ON TABLE phaseline.encrypted_blobs TO phaseline_service;

CREATE TABLE phaseline.events (
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  version bigint NOT NULL,
  transaction_id xid8 NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  schema_version integer NOT NULL,
  stream_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  data json NOT NULL,
  metadata json NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (stream_id, version)
);
CREATE UNIQUE INDEX events_correlation ON phaseline.events USING btree (correlation_id, "position");
CREATE UNIQUE INDEX events_event_id ON phaseline.events USING btree (event_id);
CREATE INDEX events_forks ON phaseline.events USING btree ((((data -> 'parent'::text) ->> 'jobId'::text))) WHERE (type = 'JobForked'::text);
CREATE INDEX events_holds ON phaseline.events USING btree (correlation_id, "position") WHERE (type = ANY (ARRAY['HoldPlaced'::text, 'HoldReleased'::text]));
CREATE UNIQUE INDEX events_tail ON phaseline.events USING btree (transaction_id, "position");
CREATE TRIGGER events_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON phaseline.events FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_change();
ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only;
GRANT SELECT ON TABLE phaseline.events TO phaseline_service;

CREATE TABLE phaseline.experiences (
  "position" bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  job_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  text text NOT NULL,
  CONSTRAINT experiences_pkey PRIMARY KEY ("position"),
  CONSTRAINT experiences_text_check CHECK ((char_length(text) <= 1000))
);
CREATE INDEX experiences_tenant_agent_position_idx ON phaseline.experiences USING btree (tenant, agent, "position");
GRANT DELETE, INSERT, SELECT ON TABLE phaseline.experiences TO phaseline_service;

CREATE TABLE phaseline.file_reference_progress (
  only_row boolean NOT NULL DEFAULT true,
  transaction_id xid8 NOT NULL,
  CONSTRAINT file_reference_progress_only_row_check CHECK (only_row),
  CONSTRAINT file_reference_progress_pkey PRIMARY KEY (only_row)
);
GRANT SELECT ON TABLE phaseline.file_reference_progress TO phaseline_service;

CREATE TABLE phaseline.file_references (
  hash bytea NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  of_event boolean NOT NULL,
  CONSTRAINT file_references_pkey PRIMARY KEY (hash, correlation_id, of_event)
);
CREATE INDEX file_references_correlation ON phaseline.file_references USING btree (correlation_id);
GRANT SELECT ON TABLE phaseline.file_references TO phaseline_service;

CREATE TABLE phaseline.follow_on_batches (
  agent text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  batch integer NOT NULL,
  job_id uuid NOT NULL,
  requirements integer NOT NULL,
  formed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  submitted_at timestamp with time zone,
  has_ended boolean NOT NULL DEFAULT false,
  CONSTRAINT follow_on_batches_batch_check CHECK ((batch > 0)),
  CONSTRAINT follow_on_batches_job_id_key UNIQUE (job_id),
  CONSTRAINT follow_on_batches_pkey PRIMARY KEY (agent, tenant, collection, batch),
  CONSTRAINT follow_on_batches_requirements_check CHECK ((requirements > 0))
);
CREATE INDEX follow_on_batches_open ON phaseline.follow_on_batches USING btree (agent, tenant) WHERE (NOT has_ended);
GRANT INSERT, SELECT, UPDATE ON TABLE phaseline.follow_on_batches TO phaseline_service;

CREATE TABLE phaseline.follow_on_requirements (
  agent text COLLATE "C" NOT NULL,
  entry_id bigint NOT NULL,
  job_id uuid NOT NULL,
  CONSTRAINT follow_on_requirements_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES phaseline.cached_requirements(id),
  CONSTRAINT follow_on_requirements_job_id_fkey FOREIGN KEY (job_id) REFERENCES phaseline.follow_on_batches(job_id),
  CONSTRAINT follow_on_requirements_pkey PRIMARY KEY (agent, entry_id)
);
CREATE INDEX follow_on_requirements_entry ON phaseline.follow_on_requirements USING btree (entry_id);
CREATE INDEX follow_on_requirements_job ON phaseline.follow_on_requirements USING btree (job_id);
GRANT INSERT, SELECT ON TABLE phaseline.follow_on_requirements TO phaseline_service;

CREATE TABLE phaseline.graph_calls (
  job_id uuid NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  graph text COLLATE "C" NOT NULL,
  result json NOT NULL,
  called_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT graph_calls_pkey PRIMARY KEY (job_id, call_id)
);
CREATE INDEX graph_calls_called ON phaseline.graph_calls USING btree (called_at);
GRANT INSERT, SELECT ON TABLE phaseline.graph_calls TO phaseline_service;

CREATE TABLE phaseline.graph_edges (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  graph text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  from_id bigint NOT NULL,
  to_id bigint NOT NULL,
  properties jsonb NOT NULL,
  CONSTRAINT graph_edges_graph_from_id_fkey FOREIGN KEY (graph, from_id) REFERENCES phaseline.graph_nodes(graph, id),
  CONSTRAINT graph_edges_graph_to_id_fkey FOREIGN KEY (graph, to_id) REFERENCES phaseline.graph_nodes(graph, id),
  CONSTRAINT graph_edges_pkey PRIMARY KEY (id)
);
CREATE INDEX graph_edges_from ON phaseline.graph_edges USING btree (graph, from_id, type);
CREATE INDEX graph_edges_to ON phaseline.graph_edges USING btree (graph, to_id, type);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.graph_edges TO phaseline_service;

CREATE TABLE phaseline.graph_nodes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  graph text COLLATE "C" NOT NULL,
  labels text[] COLLATE "C" NOT NULL,
  properties jsonb NOT NULL,
  CONSTRAINT graph_nodes_graph_id_key UNIQUE (graph, id),
  CONSTRAINT graph_nodes_pkey PRIMARY KEY (id)
);
CREATE INDEX graph_nodes_labels ON phaseline.graph_nodes USING gin (labels);
CREATE INDEX graph_nodes_properties ON phaseline.graph_nodes USING gin (properties jsonb_path_ops);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.graph_nodes TO phaseline_service;

CREATE TABLE phaseline.guards (
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  stream_version integer NOT NULL,
  summary jsonb NOT NULL,
  in_force jsonb NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT guards_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,62}$'::text)),
  CONSTRAINT guards_pkey PRIMARY KEY (tenant, name),
  CONSTRAINT guards_stream_version_check CHECK ((stream_version > 0))
);
GRANT INSERT, SELECT, UPDATE ON TABLE phaseline.guards TO phaseline_service;

CREATE TABLE phaseline.hand_over_secret (
  is_only boolean NOT NULL DEFAULT true,
  secret bytea NOT NULL,
  CONSTRAINT hand_over_secret_is_only_check CHECK (is_only),
  CONSTRAINT hand_over_secret_pkey PRIMARY KEY (is_only),
  CONSTRAINT hand_over_secret_secret_check CHECK ((octet_length(secret) = 32))
);
GRANT SELECT ON TABLE phaseline.hand_over_secret TO phaseline_service;

CREATE TABLE phaseline.interaction_policies (
  tenant text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  preferences jsonb NOT NULL,
  version bigint NOT NULL,
  "position" bigint NOT NULL,
  style_position bigint,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT interaction_policies_pkey PRIMARY KEY (tenant, user_name)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.interaction_policies TO phaseline_service;

CREATE TABLE phaseline.job_keys (
  correlation_id text COLLATE "C" NOT NULL,
  wrapped bytea,
  master_key_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  erased_at timestamp with time zone,
  CONSTRAINT job_keys_check CHECK (((wrapped IS NULL) = (erased_at IS NOT NULL))),
  CONSTRAINT job_keys_correlation_id_check CHECK (phaseline.is_encrypted_job(correlation_id)),
  CONSTRAINT job_keys_master_key_id_check CHECK ((master_key_id ~ '^[0-9a-f]{16}$'::text)),
  CONSTRAINT job_keys_pkey PRIMARY KEY (correlation_id),
  CONSTRAINT job_keys_wrapped_check CHECK ((octet_length(wrapped) = 60))
);
CREATE TRIGGER job_keys_are_kept BEFORE DELETE OR TRUNCATE ON phaseline.job_keys FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.job_keys ENABLE ALWAYS TRIGGER job_keys_are_kept;
GRANT SELECT ON TABLE phaseline.job_keys TO phaseline_service;

CREATE TABLE phaseline.jobs_template (
  job_id uuid NOT NULL,
  submitted_position bigint NOT NULL,
  "position" bigint NOT NULL,
  tenant text NOT NULL,
  agent text NOT NULL,
  next_agent text,
  status text NOT NULL,
  labels jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  phase_number integer,
  phase_kind text,
  phase_state text,
  phase_name text,
  phase_ended boolean,
  todos_done integer,
  todos_total integer,
  open_calls jsonb NOT NULL,
  awaiting_approval jsonb NOT NULL,
  current_tool text GENERATED ALWAYS AS (((open_calls -> 0) ->> 'name'::text)) VIRTUAL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  steps bigint NOT NULL,
  result jsonb,
  failure jsonb,
  awaiting_answer jsonb NOT NULL DEFAULT '[]'::jsonb,
  blocked_todos jsonb NOT NULL DEFAULT '[]'::jsonb,
  waits_for text,
  waiting_since timestamp with time zone,
  cost_class smallint GENERATED ALWAYS AS ((floor(((4)::double precision * ln((GREATEST(cost_micro_usd, (1)::bigint))::double precision))))::smallint) STORED,
  CONSTRAINT jobs_template_pkey PRIMARY KEY (job_id),
  CONSTRAINT jobs_template_submitted_position_key UNIQUE (submitted_position)
);
CREATE INDEX jobs_template_agent_submitted_position_idx ON phaseline.jobs_template USING btree (agent, submitted_position);
CREATE INDEX jobs_template_cost_class_idx ON phaseline.jobs_template USING btree (cost_class);
CREATE INDEX jobs_template_created_at_idx ON phaseline.jobs_template USING btree (created_at);
CREATE INDEX jobs_template_labels_idx ON phaseline.jobs_template USING gin (labels);
CREATE INDEX jobs_template_status_submitted_position_idx ON phaseline.jobs_template USING btree (status, submitted_position);
CREATE INDEX jobs_template_tenant_idx ON phaseline.jobs_template USING btree (tenant) WHERE ((awaiting_approval <> '[]'::jsonb) OR (awaiting_answer <> '[]'::jsonb) OR (blocked_todos <> '[]'::jsonb));
CREATE INDEX jobs_template_tenant_status_agent_idx ON phaseline.jobs_template USING btree (tenant, status, agent);
CREATE INDEX jobs_template_tenant_submitted_position_idx ON phaseline.jobs_template USING btree (tenant, submitted_position);
CREATE INDEX jobs_template_waiting_since_submitted_position_idx ON phaseline.jobs_template USING btree (waiting_since, submitted_position) WHERE (waits_for IS NOT NULL);
CREATE INDEX jobs_template_waits_for_waiting_since_idx ON phaseline.jobs_template USING btree (waits_for, waiting_since) WHERE (waits_for IS NOT NULL);

CREATE TABLE phaseline.jobs_v1 (
  job_id uuid NOT NULL,
  submitted_position bigint NOT NULL,
  "position" bigint NOT NULL,
  tenant text NOT NULL,
  agent text NOT NULL,
  next_agent text,
  status text NOT NULL,
  labels jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  phase_number integer,
  phase_kind text,
  phase_state text,
  phase_name text,
  phase_ended boolean,
  todos_done integer,
  todos_total integer,
  open_calls jsonb NOT NULL,
  awaiting_approval jsonb NOT NULL,
  current_tool text GENERATED ALWAYS AS (((open_calls -> 0) ->> 'name'::text)) VIRTUAL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  steps bigint NOT NULL,
  result jsonb,
  failure jsonb,
  awaiting_answer jsonb NOT NULL DEFAULT '[]'::jsonb,
  blocked_todos jsonb NOT NULL DEFAULT '[]'::jsonb,
  waits_for text,
  waiting_since timestamp with time zone,
  cost_class smallint GENERATED ALWAYS AS ((floor(((4)::double precision * ln((GREATEST(cost_micro_usd, (1)::bigint))::double precision))))::smallint) STORED,
  CONSTRAINT jobs_v1_pkey PRIMARY KEY (job_id),
  CONSTRAINT jobs_v1_submitted_position_key UNIQUE (submitted_position)
) WITH (fillfactor=70);
CREATE INDEX jobs_v1_agent_submitted_position_idx ON phaseline.jobs_v1 USING btree (agent, submitted_position);
CREATE INDEX jobs_v1_cost_class_idx ON phaseline.jobs_v1 USING btree (cost_class);
CREATE INDEX jobs_v1_created_at_idx ON phaseline.jobs_v1 USING btree (created_at);
CREATE INDEX jobs_v1_labels_idx ON phaseline.jobs_v1 USING gin (labels);
CREATE INDEX jobs_v1_status_submitted_position_idx ON phaseline.jobs_v1 USING btree (status, submitted_position);
CREATE INDEX jobs_v1_tenant_idx ON phaseline.jobs_v1 USING btree (tenant) WHERE ((awaiting_approval <> '[]'::jsonb) OR (awaiting_answer <> '[]'::jsonb) OR (blocked_todos <> '[]'::jsonb));
CREATE INDEX jobs_v1_tenant_status_agent_idx ON phaseline.jobs_v1 USING btree (tenant, status, agent);
CREATE INDEX jobs_v1_tenant_submitted_position_idx ON phaseline.jobs_v1 USING btree (tenant, submitted_position);
CREATE INDEX jobs_v1_waiting_since_submitted_position_idx ON phaseline.jobs_v1 USING btree (waiting_since, submitted_position) WHERE (waits_for IS NOT NULL);
CREATE INDEX jobs_v1_waits_for_waiting_since_idx ON phaseline.jobs_v1 USING btree (waits_for, waiting_since) WHERE (waits_for IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.jobs_v1 TO phaseline_service;

CREATE TABLE phaseline.learning_embeddings (
  trace uuid NOT NULL,
  model text COLLATE "C" NOT NULL,
  vector bytea NOT NULL,
  CONSTRAINT learning_embeddings_pkey PRIMARY KEY (trace, model),
  CONSTRAINT learning_embeddings_trace_fkey FOREIGN KEY (trace) REFERENCES phaseline.learning_traces(id) ON DELETE CASCADE
);
GRANT INSERT, SELECT ON TABLE phaseline.learning_embeddings TO phaseline_service;

CREATE TABLE phaseline.learning_traces (
  id uuid NOT NULL,
  "position" bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL DEFAULT 'job'::text,
  job_id uuid NOT NULL,
  phase integer,
  recorded_at timestamp with time zone NOT NULL,
  type text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  feature text,
  todo integer,
  task text,
  happened text NOT NULL,
  correct text,
  why text,
  search tsvector GENERATED ALWAYS AS ((((setweight(phaseline.learning_lexemes(happened), 'A'::"char") || setweight(phaseline.learning_lexemes(COALESCE(correct, ''::text)), 'B'::"char")) || setweight(phaseline.learning_lexemes(((((COALESCE(why, ''::text) || ' '::text) || COALESCE(task, ''::text)) || ' '::text) || COALESCE(feature, ''::text))), 'C'::"char")) || setweight(phaseline.learning_lexemes(((action || ' '::text) || reason)), 'D'::"char"))) STORED,
  CONSTRAINT learning_traces_correct_check CHECK ((char_length(correct) <= 2001)),
  CONSTRAINT learning_traces_happened_check CHECK ((char_length(happened) <= 2001)),
  CONSTRAINT learning_traces_pkey PRIMARY KEY (id),
  CONSTRAINT learning_traces_scope_check CHECK ((scope = ANY (ARRAY['job'::text, 'project'::text, 'universal'::text]))),
  CONSTRAINT learning_traces_task_check CHECK ((char_length(task) <= 2001)),
  CONSTRAINT learning_traces_why_check CHECK ((char_length(why) <= 2001))
);
CREATE INDEX learning_traces_job_id_idx ON phaseline.learning_traces USING btree (job_id);
CREATE INDEX learning_traces_removable ON phaseline.learning_traces USING btree (tenant, recorded_at) WHERE ((scope = 'job'::text) AND (action <> ALL (ARRAY['promote_trace'::text, 'override_guard'::text])));
CREATE INDEX learning_traces_search_idx ON phaseline.learning_traces USING gin (search);
CREATE INDEX learning_traces_tenant_position_idx ON phaseline.learning_traces USING btree (tenant, "position");
CREATE INDEX learning_traces_tenant_project_idx ON phaseline.learning_traces USING btree (tenant, project) WHERE (scope <> 'job'::text);
GRANT INSERT, SELECT ON TABLE phaseline.learning_traces TO phaseline_service;

CREATE TABLE phaseline.login_links (
  token_hash bytea NOT NULL,
  principal text COLLATE "C" NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT login_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT login_links_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.login_links TO phaseline_service;

CREATE TABLE phaseline.migrations (
  name text NOT NULL,
  hash text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);
GRANT SELECT ON TABLE phaseline.migrations TO phaseline_service;

CREATE TABLE phaseline.pattern_decisions_template (
  job_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  pattern jsonb NOT NULL,
  definition jsonb,
  actor text NOT NULL,
  decided_at timestamp with time zone NOT NULL,
  CONSTRAINT pattern_decisions_template_pkey PRIMARY KEY (job_id, key)
);
CREATE INDEX pattern_decisions_template_tenant_key_idx ON phaseline.pattern_decisions_template USING btree (tenant, key);

CREATE TABLE phaseline.pattern_decisions_v1 (
  job_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  pattern jsonb NOT NULL,
  definition jsonb,
  actor text NOT NULL,
  decided_at timestamp with time zone NOT NULL,
  CONSTRAINT pattern_decisions_v1_pkey PRIMARY KEY (job_id, key)
) WITH (fillfactor=90);
CREATE INDEX pattern_decisions_v1_tenant_key_idx ON phaseline.pattern_decisions_v1 USING btree (tenant, key);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.pattern_decisions_v1 TO phaseline_service;

CREATE TABLE phaseline.phases_template (
  job_id uuid NOT NULL,
  phase integer NOT NULL,
  attempt integer NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  name text NOT NULL,
  model text,
  status text NOT NULL,
  outcome text,
  todos_done integer NOT NULL,
  todos_total integer NOT NULL,
  rejections integer NOT NULL,
  takeovers integer NOT NULL,
  steps bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT phases_template_pkey PRIMARY KEY (job_id, phase)
);

CREATE TABLE phaseline.phases_v1 (
  job_id uuid NOT NULL,
  phase integer NOT NULL,
  attempt integer NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  name text NOT NULL,
  model text,
  status text NOT NULL,
  outcome text,
  todos_done integer NOT NULL,
  todos_total integer NOT NULL,
  rejections integer NOT NULL,
  takeovers integer NOT NULL,
  steps bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT phases_v1_pkey PRIMARY KEY (job_id, phase)
) WITH (fillfactor=90);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.phases_v1 TO phaseline_service;

CREATE TABLE phaseline.plans_template (
  job_id uuid NOT NULL,
  submitted_position bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  user_name text COLLATE "C",
  goal_id text COLLATE "C",
  goal text,
  planning_status text COLLATE "C" NOT NULL,
  stage text COLLATE "C" NOT NULL,
  pattern_type text COLLATE "C",
  pattern_subtype text COLLATE "C",
  pattern_variant text COLLATE "C",
  context_hash text COLLATE "C",
  outline_hash text COLLATE "C",
  roadmap_hash text COLLATE "C",
  schedule_hash text COLLATE "C",
  response_text text,
  escalate_reason text,
  pattern_rfc_required boolean NOT NULL,
  pattern_rfc_text text,
  approved_at timestamp with time zone,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT plans_template_pkey PRIMARY KEY (job_id)
);
CREATE INDEX plans_template_tenant_goal_id_submitted_position_idx ON phaseline.plans_template USING btree (tenant, goal_id, submitted_position);
CREATE INDEX plans_template_tenant_pattern_subtype_idx ON phaseline.plans_template USING btree (tenant, pattern_subtype);
CREATE INDEX plans_template_tenant_pattern_type_idx ON phaseline.plans_template USING btree (tenant, pattern_type);
CREATE INDEX plans_template_tenant_pattern_variant_idx ON phaseline.plans_template USING btree (tenant, pattern_variant);
CREATE INDEX plans_template_tenant_submitted_position_idx ON phaseline.plans_template USING btree (tenant, submitted_position);

CREATE TABLE phaseline.plans_v1 (
  job_id uuid NOT NULL,
  submitted_position bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  user_name text COLLATE "C",
  goal_id text COLLATE "C",
  goal text,
  planning_status text COLLATE "C" NOT NULL,
  stage text COLLATE "C" NOT NULL,
  pattern_type text COLLATE "C",
  pattern_subtype text COLLATE "C",
  pattern_variant text COLLATE "C",
  context_hash text COLLATE "C",
  outline_hash text COLLATE "C",
  roadmap_hash text COLLATE "C",
  schedule_hash text COLLATE "C",
  response_text text,
  escalate_reason text,
  pattern_rfc_required boolean NOT NULL,
  pattern_rfc_text text,
  approved_at timestamp with time zone,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT plans_v1_pkey PRIMARY KEY (job_id)
) WITH (fillfactor=90);
CREATE INDEX plans_v1_tenant_goal_id_submitted_position_idx ON phaseline.plans_v1 USING btree (tenant, goal_id, submitted_position);
CREATE INDEX plans_v1_tenant_pattern_subtype_idx ON phaseline.plans_v1 USING btree (tenant, pattern_subtype);
CREATE INDEX plans_v1_tenant_pattern_type_idx ON phaseline.plans_v1 USING btree (tenant, pattern_type);
CREATE INDEX plans_v1_tenant_pattern_variant_idx ON phaseline.plans_v1 USING btree (tenant, pattern_variant);
CREATE INDEX plans_v1_tenant_submitted_position_idx ON phaseline.plans_v1 USING btree (tenant, submitted_position);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.plans_v1 TO phaseline_service;

CREATE TABLE phaseline.preference_questions_template (
  job_id uuid NOT NULL,
  preference text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  value text,
  answered_position bigint,
  answered_at timestamp with time zone,
  CONSTRAINT preference_questions_template_pkey PRIMARY KEY (job_id, preference)
);
CREATE INDEX preference_questions_template_tenant_user_name_preference_idx ON phaseline.preference_questions_template USING btree (tenant, user_name, preference);

CREATE TABLE phaseline.preference_questions_v1 (
  job_id uuid NOT NULL,
  preference text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  value text,
  answered_position bigint,
  answered_at timestamp with time zone,
  CONSTRAINT preference_questions_v1_pkey PRIMARY KEY (job_id, preference)
) WITH (fillfactor=90);
CREATE INDEX preference_questions_v1_tenant_user_name_preference_idx ON phaseline.preference_questions_v1 USING btree (tenant, user_name, preference);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.preference_questions_v1 TO phaseline_service;

CREATE TABLE phaseline.principal_identities (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  linked_at timestamp with time zone NOT NULL,
  linked_by text NOT NULL,
  CONSTRAINT principal_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT principal_identities_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES phaseline.principals(id)
);
CREATE INDEX principal_identities_principal ON phaseline.principal_identities USING btree (principal_id);
GRANT DELETE, INSERT, SELECT ON TABLE phaseline.principal_identities TO phaseline_service;

CREATE TABLE phaseline.principal_keys (
  prefix text COLLATE "C" NOT NULL,
  principal_id text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  label text NOT NULL,
  rights text[],
  tenants text[],
  created_at timestamp with time zone NOT NULL,
  created_by text NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT principal_keys_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT principal_keys_pkey PRIMARY KEY (prefix),
  CONSTRAINT principal_keys_prefix_check CHECK ((prefix ~ '^[0-9a-f]{8}$'::text)),
  CONSTRAINT principal_keys_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES phaseline.principals(id)
);
CREATE INDEX principal_keys_principal ON phaseline.principal_keys USING btree (principal_id);
GRANT INSERT, SELECT, UPDATE ON TABLE phaseline.principal_keys TO phaseline_service;

CREATE TABLE phaseline.principal_roles (
  principal_id text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  granted_at timestamp with time zone NOT NULL,
  granted_by text NOT NULL,
  CONSTRAINT principal_roles_pkey PRIMARY KEY (principal_id, role, tenant),
  CONSTRAINT principal_roles_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES phaseline.principals(id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.principal_roles TO phaseline_service;

CREATE TABLE phaseline.principals (
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  created_by text NOT NULL,
  disabled_at timestamp with time zone,
  CONSTRAINT principals_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'service'::text]))),
  CONSTRAINT principals_pkey PRIMARY KEY (id)
);
GRANT INSERT, SELECT, UPDATE ON TABLE phaseline.principals TO phaseline_service;

CREATE TABLE phaseline.processes (
  process_id text COLLATE "C" NOT NULL,
  service text NOT NULL,
  version text NOT NULL DEFAULT ''::text,
  schema_versions json NOT NULL DEFAULT '{}'::json,
  host text NOT NULL DEFAULT ''::text,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  heartbeat_at timestamp with time zone NOT NULL DEFAULT now(),
  clock_at timestamp with time zone,
  problems text[] NOT NULL DEFAULT '{}'::text[],
  leases text[] NOT NULL DEFAULT '{}'::text[],
  slots integer NOT NULL DEFAULT 0,
  unreachable_from timestamp with time zone,
  recovered_at timestamp with time zone,
  abilities jsonb NOT NULL DEFAULT '{}'::jsonb,
  pid integer,
  queues text[],
  load jsonb,
  CONSTRAINT processes_pkey PRIMARY KEY (process_id)
) WITH (fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.processes TO phaseline_service;

CREATE TABLE phaseline.quarantine (
  stream_id text COLLATE "C" NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  reason text NOT NULL,
  failures integer NOT NULL,
  release text NOT NULL,
  first_at timestamp with time zone NOT NULL DEFAULT now(),
  last_at timestamp with time zone NOT NULL DEFAULT now(),
  quarantined_at timestamp with time zone,
  next_check_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT quarantine_pkey PRIMARY KEY (stream_id)
);
CREATE INDEX quarantine_job ON phaseline.quarantine USING btree (correlation_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.quarantine TO phaseline_service;

CREATE TABLE phaseline.queue_depth_template (
  job_id uuid NOT NULL,
  queue text COLLATE "C" NOT NULL,
  minute timestamp with time zone NOT NULL,
  due bigint NOT NULL,
  done bigint NOT NULL,
  CONSTRAINT queue_depth_template_pkey PRIMARY KEY (job_id, queue, minute)
);
CREATE INDEX queue_depth_template_minute_queue_due_done_idx ON phaseline.queue_depth_template USING btree (minute) INCLUDE (queue, due, done);

CREATE TABLE phaseline.queue_depth_v1 (
  job_id uuid NOT NULL,
  queue text COLLATE "C" NOT NULL,
  minute timestamp with time zone NOT NULL,
  due bigint NOT NULL,
  done bigint NOT NULL,
  CONSTRAINT queue_depth_v1_pkey PRIMARY KEY (job_id, queue, minute)
) WITH (fillfactor=90);
CREATE INDEX queue_depth_v1_minute_queue_due_done_idx ON phaseline.queue_depth_v1 USING btree (minute) INCLUDE (queue, due, done);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.queue_depth_v1 TO phaseline_service;

CREATE TABLE phaseline.read_models (
  name text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  revision integer NOT NULL,
  state text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  activated_at timestamp with time zone,
  CONSTRAINT read_models_pkey PRIMARY KEY (name, version),
  CONSTRAINT read_models_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retired'::text, 'dropped'::text])))
);
CREATE UNIQUE INDEX read_models_active ON phaseline.read_models USING btree (name) WHERE (state = 'active'::text);
GRANT SELECT ON TABLE phaseline.read_models TO phaseline_service;

CREATE TABLE phaseline.read_models_behind (
  job_id uuid NOT NULL,
  "position" bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  schema_version integer NOT NULL,
  noted_at timestamp with time zone NOT NULL DEFAULT now(),
  reason text,
  CONSTRAINT read_models_behind_pkey PRIMARY KEY (job_id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.read_models_behind TO phaseline_service;

CREATE TABLE phaseline.released_files (
  correlation_id text COLLATE "C" NOT NULL,
  CONSTRAINT released_files_pkey PRIMARY KEY (correlation_id)
);
GRANT SELECT ON TABLE phaseline.released_files TO phaseline_service;

CREATE TABLE phaseline.requirement_outcomes (
  job_id uuid NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  entry_id bigint NOT NULL,
  token integer NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  note text,
  ended_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT requirement_outcomes_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES phaseline.cached_requirements(id),
  CONSTRAINT requirement_outcomes_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'failed'::text, 'release'::text, 'expired'::text]))),
  CONSTRAINT requirement_outcomes_pkey PRIMARY KEY (job_id, call_id, entry_id, token)
);
CREATE INDEX requirement_outcomes_entry ON phaseline.requirement_outcomes USING btree (entry_id);
GRANT SELECT ON TABLE phaseline.requirement_outcomes TO phaseline_service;

CREATE TABLE phaseline.requirement_statements (
  job_id uuid NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  entry_id bigint NOT NULL,
  requirement_id text COLLATE "C" NOT NULL,
  citation jsonb NOT NULL,
  is_new boolean NOT NULL,
  stated_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT requirement_statements_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES phaseline.cached_requirements(id),
  CONSTRAINT requirement_statements_pkey PRIMARY KEY (job_id, call_id, ordinal)
);
CREATE INDEX requirement_statements_entry ON phaseline.requirement_statements USING btree (entry_id);
GRANT SELECT ON TABLE phaseline.requirement_statements TO phaseline_service;

CREATE TABLE phaseline.retention_candidates (
  correlation_id text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  has_vectors boolean NOT NULL,
  CONSTRAINT retention_candidates_pkey PRIMARY KEY (correlation_id)
);
CREATE INDEX retention_candidates_ended ON phaseline.retention_candidates USING btree (tenant, ended_at, correlation_id);
CREATE INDEX retention_candidates_vectors ON phaseline.retention_candidates USING btree (tenant, ended_at, correlation_id) WHERE has_vectors;
GRANT SELECT ON TABLE phaseline.retention_candidates TO phaseline_service;

CREATE TABLE phaseline.retention_run_jobs (
  run_id uuid NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  outcome jsonb NOT NULL,
  CONSTRAINT retention_run_jobs_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT retention_run_jobs_run_id_fkey FOREIGN KEY (run_id) REFERENCES phaseline.retention_runs(run_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX retention_run_jobs_once ON phaseline.retention_run_jobs USING btree (run_id, job_id, (
CASE (outcome ->> 'kind'::text)
    WHEN 'traces-removed'::text THEN 1
    WHEN 'moved'::text THEN 2
    WHEN 'not-moved'::text THEN 2
    ELSE 0
END));
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.retention_run_jobs TO phaseline_service;

CREATE TABLE phaseline.retention_runs (
  run_id uuid NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  actor jsonb NOT NULL,
  tenants text[] COLLATE "C",
  dry_run boolean NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  failure text,
  CONSTRAINT retention_runs_pkey PRIMARY KEY (run_id)
);
CREATE INDEX retention_runs_newest ON phaseline.retention_runs USING btree (requested_at);
CREATE UNIQUE INDEX retention_runs_open ON phaseline.retention_runs USING btree (COALESCE(tenants, '{}'::text[]), dry_run) WHERE (ended_at IS NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.retention_runs TO phaseline_service;

CREATE TABLE phaseline.retention_settings (
  tenant text COLLATE "C" NOT NULL,
  files_days integer,
  vectors_days integer,
  changed_at timestamp with time zone,
  changed_by text,
  learning_days integer,
  cold_days integer,
  CONSTRAINT retention_settings_cold_days_check CHECK ((cold_days >= 0)),
  CONSTRAINT retention_settings_files_days_check CHECK ((files_days >= 0)),
  CONSTRAINT retention_settings_learning_days_check CHECK ((learning_days >= 0)),
  CONSTRAINT retention_settings_pkey PRIMARY KEY (tenant),
  CONSTRAINT retention_settings_vectors_days_check CHECK ((vectors_days >= 0))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.retention_settings TO phaseline_service;

CREATE TABLE phaseline.scheduled_tasks_template (
  job_id uuid NOT NULL,
  task text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  title text NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  zone text COLLATE "C" NOT NULL,
  recurrence text,
  float_minutes integer NOT NULL,
  critical boolean NOT NULL,
  agent text COLLATE "C",
  work_minutes integer,
  except_days jsonb,
  CONSTRAINT scheduled_tasks_template_pkey PRIMARY KEY (job_id, task)
);

CREATE TABLE phaseline.scheduled_tasks_v1 (
  job_id uuid NOT NULL,
  task text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  title text NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  zone text COLLATE "C" NOT NULL,
  recurrence text,
  float_minutes integer NOT NULL,
  critical boolean NOT NULL,
  agent text COLLATE "C",
  work_minutes integer,
  except_days jsonb,
  CONSTRAINT scheduled_tasks_v1_pkey PRIMARY KEY (job_id, task)
) WITH (fillfactor=90);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.scheduled_tasks_v1 TO phaseline_service;

CREATE TABLE phaseline.secrets (
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  encrypted bytea NOT NULL,
  master_key_id text NOT NULL,
  stored_by text NOT NULL,
  stored_at timestamp with time zone NOT NULL,
  repository_hosts text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT secrets_master_key_id_check CHECK ((master_key_id ~ '^[0-9a-f]{16}$'::text)),
  CONSTRAINT secrets_name_check CHECK ((name ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'::text)),
  CONSTRAINT secrets_pkey PRIMARY KEY (tenant, name, agent),
  CONSTRAINT secrets_tenant_check CHECK ((tenant <> ''::text))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.secrets TO phaseline_service;

CREATE TABLE phaseline.sessions (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  principal text COLLATE "C" NOT NULL,
  started_at timestamp with time zone NOT NULL,
  idle_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sessions_session_id_key UNIQUE (session_id),
  CONSTRAINT sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sessions_principal ON phaseline.sessions USING btree (principal);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.sessions TO phaseline_service;

CREATE TABLE phaseline.sign_in_attempts (
  state_hash bytea NOT NULL,
  browser_hash bytea NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_attempts_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (state_hash),
  CONSTRAINT sign_in_attempts_state_hash_check CHECK ((octet_length(state_hash) = 32))
);
CREATE INDEX sign_in_attempts_expiry ON phaseline.sign_in_attempts USING btree (expires_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.sign_in_attempts TO phaseline_service;

CREATE TABLE phaseline.slots (
  job_id uuid NOT NULL,
  phase integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  priority integer NOT NULL,
  queued_at timestamp with time zone NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  granted_at timestamp with time zone,
  CONSTRAINT slots_pkey PRIMARY KEY (job_id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX slots_granted ON phaseline.slots USING btree (kind) WHERE (granted_at IS NOT NULL);
CREATE INDEX slots_waiting ON phaseline.slots USING btree (kind, tenant, priority, queued_at, job_id) WHERE (granted_at IS NULL);
CREATE TRIGGER slots_are_counted AFTER INSERT OR DELETE OR UPDATE ON phaseline.slots FOR EACH ROW EXECUTE FUNCTION phaseline.count_slot();
CREATE TRIGGER slots_are_counted_after_truncate AFTER TRUNCATE ON phaseline.slots FOR EACH STATEMENT EXECUTE FUNCTION phaseline.count_slot();
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.slots TO phaseline_service;

CREATE TABLE phaseline.snapshots (
  stream_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  fold_version text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  state json NOT NULL,
  taken_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT snapshots_pkey PRIMARY KEY (stream_id, fold_version, version),
  CONSTRAINT snapshots_version_check CHECK ((version > 0))
);
CREATE INDEX snapshots_taken ON phaseline.snapshots USING btree (taken_at);
GRANT DELETE, INSERT, SELECT ON TABLE phaseline.snapshots TO phaseline_service;

CREATE TABLE phaseline.stage_assessments_template (
  job_id uuid NOT NULL,
  number integer NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C",
  stage text COLLATE "C" NOT NULL,
  confidence double precision NOT NULL,
  assessed_at timestamp with time zone NOT NULL,
  outcome text COLLATE "C",
  decided_at timestamp with time zone,
  CONSTRAINT stage_assessments_template_pkey PRIMARY KEY (job_id, number)
);
CREATE INDEX stage_assessments_template_tenant_assessed_at_idx ON phaseline.stage_assessments_template USING btree (tenant, assessed_at);

CREATE TABLE phaseline.stage_assessments_v1 (
  job_id uuid NOT NULL,
  number integer NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C",
  stage text COLLATE "C" NOT NULL,
  confidence double precision NOT NULL,
  assessed_at timestamp with time zone NOT NULL,
  outcome text COLLATE "C",
  decided_at timestamp with time zone,
  CONSTRAINT stage_assessments_v1_pkey PRIMARY KEY (job_id, number)
) WITH (fillfactor=90);
CREATE INDEX stage_assessments_v1_tenant_assessed_at_idx ON phaseline.stage_assessments_v1 USING btree (tenant, assessed_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.stage_assessments_v1 TO phaseline_service;

CREATE TABLE phaseline.streams (
  stream_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  hash bytea NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  closed boolean NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT streams_pkey PRIMARY KEY (stream_id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX streams_open ON phaseline.streams USING btree (stream_id) WHERE (NOT closed);
GRANT SELECT ON TABLE phaseline.streams TO phaseline_service;

CREATE TABLE phaseline.subscription_members (
  name text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT subscription_members_pkey PRIMARY KEY (name, owner)
) WITH (fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.subscription_members TO phaseline_service;

CREATE TABLE phaseline.subscriptions (
  name text COLLATE "C" NOT NULL,
  partition integer NOT NULL,
  partitions integer NOT NULL,
  transaction_id xid8 NOT NULL DEFAULT '0'::xid8,
  "position" bigint NOT NULL DEFAULT 0,
  owner text,
  lease_expires_at timestamp with time zone,
  epoch bigint NOT NULL DEFAULT 0,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT subscriptions_pkey PRIMARY KEY (name, partition)
) WITH (fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.subscriptions TO phaseline_service;

CREATE TABLE phaseline.table_cleanings (
  name text COLLATE "C" NOT NULL,
  started_at timestamp with time zone NOT NULL,
  kept_days integer NOT NULL,
  ended_at timestamp with time zone,
  removed bigint NOT NULL DEFAULT 0,
  CONSTRAINT table_cleanings_kept_days_check CHECK ((kept_days > 0)),
  CONSTRAINT table_cleanings_pkey PRIMARY KEY (name)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.table_cleanings TO phaseline_service;

CREATE TABLE phaseline.tenant_limits (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  tenant text COLLATE "C" NOT NULL,
  max_phases integer,
  actor text NOT NULL,
  set_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT tenant_limits_max_phases_check CHECK ((max_phases >= 0)),
  CONSTRAINT tenant_limits_pkey PRIMARY KEY (id)
);
CREATE INDEX tenant_limits_latest ON phaseline.tenant_limits USING btree (tenant, id);
GRANT INSERT, SELECT ON TABLE phaseline.tenant_limits TO phaseline_service;

CREATE TABLE phaseline.tenant_turns (
  tenant text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  held integer NOT NULL,
  waiting integer NOT NULL,
  last_granted_at timestamp with time zone NOT NULL,
  CONSTRAINT tenant_turns_pkey PRIMARY KEY (tenant, kind)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX tenant_turns_next ON phaseline.tenant_turns USING btree (kind, held, last_granted_at, tenant) WHERE (waiting > 0);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.tenant_turns TO phaseline_service;

CREATE TABLE phaseline.tool_calls_template (
  job_id uuid NOT NULL,
  phase integer NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  "position" bigint NOT NULL,
  step integer NOT NULL,
  name text NOT NULL,
  lane text,
  effect text,
  status text NOT NULL,
  code text,
  result jsonb,
  attempts integer,
  duration_ms bigint,
  requested_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT tool_calls_template_pkey PRIMARY KEY (job_id, phase, call_id)
);

CREATE TABLE phaseline.tool_calls_v1 (
  job_id uuid NOT NULL,
  phase integer NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  "position" bigint NOT NULL,
  step integer NOT NULL,
  name text NOT NULL,
  lane text,
  effect text,
  status text NOT NULL,
  code text,
  result jsonb,
  attempts integer,
  duration_ms bigint,
  requested_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT tool_calls_v1_pkey PRIMARY KEY (job_id, phase, call_id)
) WITH (fillfactor=90);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.tool_calls_v1 TO phaseline_service;

CREATE TABLE phaseline.unmirrored_files (
  mirror text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  hash text,
  size bigint,
  location text NOT NULL,
  reason text NOT NULL,
  attempts integer NOT NULL DEFAULT 1,
  first_failed_at timestamp with time zone NOT NULL DEFAULT now(),
  next_try_at timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval),
  mode text,
  CONSTRAINT unmirrored_files_pkey PRIMARY KEY (mirror, job_id, path)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE phaseline.unmirrored_files TO phaseline_service;

CREATE TABLE phaseline.vector_chunks (
  job_id uuid NOT NULL,
  space text COLLATE "C" NOT NULL,
  file_hash bytea NOT NULL,
  ordinal integer NOT NULL,
  from_line integer NOT NULL,
  to_line integer NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  CONSTRAINT vector_chunks_job_id_space_file_hash_fkey FOREIGN KEY (job_id, space, file_hash) REFERENCES phaseline.vector_files(job_id, space, file_hash) ON DELETE CASCADE,
  CONSTRAINT vector_chunks_pkey PRIMARY KEY (job_id, space, file_hash, ordinal),
  CONSTRAINT vector_chunks_tenant_space_digest_fkey FOREIGN KEY (tenant, space, digest) REFERENCES phaseline.vector_embeddings(tenant, space, digest)
);
CREATE INDEX vector_chunks_embedding ON phaseline.vector_chunks USING btree (tenant, space, digest);
GRANT INSERT, SELECT ON TABLE phaseline.vector_chunks TO phaseline_service;

CREATE TABLE phaseline.vector_embeddings (
  tenant text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  embedding bytea NOT NULL,
  made_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT vector_embeddings_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT vector_embeddings_pkey PRIMARY KEY (tenant, space, digest)
);
GRANT INSERT, SELECT ON TABLE phaseline.vector_embeddings TO phaseline_service;

CREATE TABLE phaseline.vector_files (
  job_id uuid NOT NULL,
  space text COLLATE "C" NOT NULL,
  file_hash bytea NOT NULL,
  chunks integer NOT NULL,
  skip_reason text,
  indexed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT vector_files_file_hash_check CHECK ((octet_length(file_hash) = 32)),
  CONSTRAINT vector_files_pkey PRIMARY KEY (job_id, space, file_hash)
);
GRANT INSERT, SELECT ON TABLE phaseline.vector_files TO phaseline_service;

CREATE VIEW phaseline.costs AS
 SELECT job_id,
    day,
    agent,
    model,
    tenant,
    steps,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    cost_micro_usd
   FROM phaseline.costs_v1;
GRANT SELECT ON TABLE phaseline.costs TO phaseline_service;

CREATE VIEW phaseline.decisions AS
 SELECT job_id,
    kind,
    name,
    scope,
    version,
    outcome,
    tenant,
    count
   FROM phaseline.decisions_v1;
GRANT SELECT ON TABLE phaseline.decisions TO phaseline_service;

CREATE VIEW phaseline.jobs AS
 SELECT job_id,
    submitted_position,
    "position",
    tenant,
    agent,
    next_agent,
    status,
    labels,
    created_at,
    updated_at,
    ended_at,
    phase_number,
    phase_kind,
    phase_state,
    phase_name,
    phase_ended,
    todos_done,
    todos_total,
    open_calls,
    awaiting_approval,
    current_tool,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    cost_micro_usd,
    steps,
    result,
    failure,
    awaiting_answer,
    blocked_todos,
    waits_for,
    waiting_since,
    cost_class
   FROM phaseline.jobs_v1;
GRANT SELECT ON TABLE phaseline.jobs TO phaseline_service;

CREATE VIEW phaseline.pattern_decisions AS
 SELECT job_id,
    key,
    tenant,
    pattern,
    definition,
    actor,
    decided_at
   FROM phaseline.pattern_decisions_v1;
GRANT SELECT ON TABLE phaseline.pattern_decisions TO phaseline_service;

CREATE VIEW phaseline.phases AS
 SELECT job_id,
    phase,
    attempt,
    kind,
    state,
    name,
    model,
    status,
    outcome,
    todos_done,
    todos_total,
    rejections,
    takeovers,
    steps,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    cost_micro_usd,
    started_at,
    ended_at
   FROM phaseline.phases_v1;
GRANT SELECT ON TABLE phaseline.phases TO phaseline_service;

CREATE VIEW phaseline.plans AS
 SELECT job_id,
    submitted_position,
    tenant,
    user_name,
    goal_id,
    goal,
    planning_status,
    stage,
    pattern_type,
    pattern_subtype,
    pattern_variant,
    context_hash,
    outline_hash,
    roadmap_hash,
    schedule_hash,
    response_text,
    escalate_reason,
    pattern_rfc_required,
    pattern_rfc_text,
    approved_at,
    changed_at
   FROM phaseline.plans_v1;
GRANT SELECT ON TABLE phaseline.plans TO phaseline_service;

CREATE VIEW phaseline.preference_questions AS
 SELECT job_id,
    preference,
    tenant,
    user_name,
    asked_at,
    value,
    answered_position,
    answered_at
   FROM phaseline.preference_questions_v1;
GRANT SELECT ON TABLE phaseline.preference_questions TO phaseline_service;

CREATE VIEW phaseline.queue_depth AS
 SELECT job_id,
    queue,
    minute,
    due,
    done
   FROM phaseline.queue_depth_v1;
GRANT SELECT ON TABLE phaseline.queue_depth TO phaseline_service;

CREATE VIEW phaseline.scheduled_tasks AS
 SELECT job_id,
    task,
    tenant,
    title,
    starts_at,
    ends_at,
    zone,
    recurrence,
    float_minutes,
    critical,
    agent,
    work_minutes,
    except_days
   FROM phaseline.scheduled_tasks_v1;
GRANT SELECT ON TABLE phaseline.scheduled_tasks TO phaseline_service;

CREATE VIEW phaseline.stage_assessments AS
 SELECT job_id,
    number,
    tenant,
    agent,
    model,
    stage,
    confidence,
    assessed_at,
    outcome,
    decided_at
   FROM phaseline.stage_assessments_v1;
GRANT SELECT ON TABLE phaseline.stage_assessments TO phaseline_service;

CREATE VIEW phaseline.tool_calls AS
 SELECT job_id,
    phase,
    call_id,
    "position",
    step,
    name,
    lane,
    effect,
    status,
    code,
    result,
    attempts,
    duration_ms,
    requested_at,
    started_at,
    ended_at
   FROM phaseline.tool_calls_v1;
GRANT SELECT ON TABLE phaseline.tool_calls TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.activate_read_model(p_name text, p_version integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_table text := p_name || '_v' || p_version;
BEGIN
  UPDATE phaseline.read_models SET state = 'retired' WHERE name = p_name AND state = 'active';
  UPDATE phaseline.read_models SET state = 'active', activated_at = now()
  WHERE name = p_name AND version = p_version AND state = 'building';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'version % of read model % is not being built', p_version, p_name USING ERRCODE = 'PL011';
  END IF;
  BEGIN
    EXECUTE format('CREATE OR REPLACE VIEW phaseline.%I AS SELECT * FROM phaseline.%I', p_name, v_table);
  EXCEPTION WHEN invalid_table_definition THEN
    -- The columns differ from those of the previous version.
    EXECUTE format('DROP VIEW phaseline.%I', p_name);
    EXECUTE format('CREATE VIEW phaseline.%I AS SELECT * FROM phaseline.%I', p_name, v_table);
  END;
  EXECUTE format('GRANT SELECT ON phaseline.%I TO phaseline_service', p_name);
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.activate_read_model(text,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.add_anchor(p_number bigint, p_previous_hash bytea, p_anchored_at timestamp with time zone, p_public_key bytea, p_horizon xid8, p_position bigint, p_streams bigint, p_events bigint, p_root bytea, p_hash bytea, p_signature bytea, p_stream_ids text[], p_versions bigint[], p_hashes bytea[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_key_id   bytea := sha256(p_public_key);
  v_heads    bigint := coalesce(array_length(p_stream_ids, 1), 0);
  v_number   bigint;
  v_previous bytea;
  v_horizon  xid8;
BEGIN
  PERFORM pg_advisory_xact_lock(7406318256);
  SELECT s.number, s.hash, s.horizon INTO v_number, v_previous, v_horizon
  FROM phaseline.anchors AS s ORDER BY s.number DESC LIMIT 1;
  IF p_number <> coalesce(v_number, 0) + 1 OR p_previous_hash <> coalesce(v_previous, decode(repeat('00', 32), 'hex')) THEN
    RETURN false;
  END IF;
  IF p_horizon <= v_horizon OR p_horizon > pg_snapshot_xmin(pg_current_snapshot()) THEN
    RAISE EXCEPTION 'horizon % is not between that of the previous anchor and the oldest open transaction', p_horizon
      USING ERRCODE = 'PL003';
  END IF;
  IF v_heads = 0 OR array_length(p_versions, 1) <> v_heads OR array_length(p_hashes, 1) <> v_heads
     OR octet_length(p_root) <> 32 OR octet_length(p_signature) <> 64
     OR p_hash <> phaseline.anchor_hash(p_number, p_previous_hash, p_anchored_at, v_key_id, p_horizon, p_position,
                                      p_streams, p_events, v_heads, p_root) THEN
    RAISE EXCEPTION 'the parts of anchor % are inconsistent', p_number USING ERRCODE = 'PL003';
  END IF;
  IF EXISTS (
    SELECT FROM unnest(p_stream_ids, p_versions, p_hashes) AS h(stream_id, version, hash)
    LEFT JOIN phaseline.events AS e ON e.stream_id = h.stream_id AND e.version = h.version AND e.hash = h.hash
    WHERE e.stream_id IS NULL
  ) THEN
    RAISE EXCEPTION 'anchor % names a head that is not in the log', p_number USING ERRCODE = 'PL003';
  END IF;

  INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (v_key_id, p_public_key) ON CONFLICT DO NOTHING;
  INSERT INTO phaseline.anchors (number, previous_hash, anchored_at, key_id, horizon, position, streams, events, heads, root, hash,
                               signature)
  VALUES (p_number, p_previous_hash, p_anchored_at, v_key_id, p_horizon, p_position, p_streams, p_events, v_heads, p_root, p_hash,
          p_signature);
  INSERT INTO phaseline.anchored_heads (anchor, stream_id, version, hash)
  SELECT p_number, h.stream_id, h.version, h.hash FROM unnest(p_stream_ids, p_versions, p_hashes) AS h(stream_id, version, hash);
  RETURN true;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.add_anchor(bigint,bytea,timestamp with time zone,bytea,xid8,bigint,bigint,bigint,bytea,bytea,bytea,text[],bigint[],bytea[]) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.anchor_hash(p_number bigint, p_previous_hash bytea, p_anchored_at timestamp with time zone, p_key_id bytea, p_horizon xid8, p_position bigint, p_streams bigint, p_events bigint, p_heads bigint, p_root bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
RETURN (SELECT sha256(convert_to(string_agg((((octet_length(f.value) || ':'::text) || f.value) || ','::text), ''::text ORDER BY f.n), 'UTF8'::name)) AS sha256 FROM unnest(ARRAY['phaseline-anchor-1'::text, (anchor_hash.p_number)::text, encode(anchor_hash.p_previous_hash, 'hex'::text), to_char((anchor_hash.p_anchored_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text), encode(anchor_hash.p_key_id, 'hex'::text), (anchor_hash.p_horizon)::text, (anchor_hash.p_position)::text, (anchor_hash.p_streams)::text, (anchor_hash.p_events)::text, (anchor_hash.p_heads)::text, encode(anchor_hash.p_root, 'hex'::text)]) WITH ORDINALITY f(value, n));
GRANT EXECUTE ON FUNCTION phaseline.anchor_hash(bigint,bytea,timestamp with time zone,bytea,xid8,bigint,bigint,bigint,bigint,bytea) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.append(p_stream_ids text[], p_stream_correlations text[], p_append_units integer[], p_append_streams integer[], p_expected bigint[], p_event_counts integer[], p_closes boolean[], p_wakes boolean[], p_event_streams integer[], p_event_ids uuid[], p_types text[], p_schema_versions integer[], p_data text[], p_metadata text[], p_blob_units integer[], p_blob_hashes bytea[], p_blob_contents bytea[], p_reopens boolean[])
 RETURNS TABLE(status integer, version bigint, "position" bigint, hash bytea, recorded_at timestamp with time zone, event_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  v_now         timestamptz;
  v_now_text    text;
  -- heads per stream
  h_version     bigint[];
  h_hash        bytea[];
  h_closed      boolean[];
  h_correlation text[];
  h_exists      boolean[];
  -- type of the stream's last event, if this batch wrote to the stream or had to read it
  h_type        text[] := array_fill(NULL::text, ARRAY[cardinality(p_stream_ids)]);
  -- Filled rather than empty: if the first element set in an empty array is its third, the array starts at index 3, and unnest would
  -- return the third stream or event as the first.
  h_touched     boolean[] := array_fill(false, ARRAY[cardinality(p_stream_ids)]);
  -- result per event; NULL if its unit is rejected
  e_version     bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_event_ids)]);
  e_position    bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_event_ids)]);
  e_hash        bytea[] := array_fill(NULL::bytea, ARRAY[cardinality(p_event_ids)]);
  -- what the log already contains of each event; NULL if it contains none of them
  k_stream      text[];
  k_version     bigint[];
  k_position    bigint[];
  k_hash        bytea[];
  k_recorded_at timestamptz[];
  u_refused     boolean[] := '{}';
  v_known       boolean;
  v_appends     integer := array_length(p_append_units, 1);
  v_first       integer := 1;   -- first append of the current unit
  v_last        integer;        -- last append of the current unit
  v_event       integer := 0;   -- last event before the current append
  v_unit_event  integer := 0;   -- last event before the current unit
  v_bad         integer;        -- the append because of which the unit is rejected
  v_bad_status  integer;
  v_found       integer;        -- number of events of the unit that are already in the log
  v_strange     integer;        -- an append of the unit with an event that is not in the log, or is in another stream
  v_stream      integer;
  v_type        text;
  v_version     bigint;
  v_hash        bytea;
  v_inserts     boolean := false;
  v_updates     boolean := false;
BEGIN
  -- The locks below must be taken before this transaction has an id. Otherwise a transaction with an older id could commit
  -- its events later, and within one correlation positions would not follow the order of commits.
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the append must be the first write of its transaction' USING ERRCODE = 'PL002';
  END IF;

  -- Sorted, so that two batches never deadlock. The lock covers every stream of the correlation, because a stream never changes
  -- its correlation; so no row of streams needs a lock of its own.
  PERFORM pg_advisory_xact_lock(l.key)
  FROM (SELECT DISTINCT hashtextextended(c, 7406318255) AS key FROM unnest(p_stream_correlations) AS c ORDER BY key) AS l;

  -- All later statements see what the previous holders of these locks have committed.
  SELECT array_agg(coalesce(h.version, 0) ORDER BY s.n),
         array_agg(coalesce(h.hash, '\x0000000000000000000000000000000000000000000000000000000000000000') ORDER BY s.n),
         array_agg(h.closed ORDER BY s.n), array_agg(h.correlation_id ORDER BY s.n), array_agg(h.version IS NOT NULL ORDER BY s.n),
         EXISTS (SELECT FROM phaseline.events AS k WHERE k.event_id = ANY (p_event_ids)), clock_timestamp()
    INTO h_version, h_hash, h_closed, h_correlation, h_exists, v_known, v_now
    FROM unnest(p_stream_ids) WITH ORDINALITY AS s(id, n)
    LEFT JOIN phaseline.streams AS h ON h.stream_id = s.id;
  v_now_text := to_char(v_now AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

  IF v_known THEN
    SELECT array_agg(k.stream_id ORDER BY i.n), array_agg(k.version ORDER BY i.n), array_agg(k.position ORDER BY i.n),
           array_agg(k.hash ORDER BY i.n), array_agg(k.recorded_at ORDER BY i.n)
      INTO k_stream, k_version, k_position, k_hash, k_recorded_at
      FROM unnest(p_event_ids) WITH ORDINALITY AS i(id, n)
      LEFT JOIN phaseline.events AS k ON k.event_id = i.id;
  END IF;

  WHILE v_first <= v_appends LOOP
    v_last := v_first;
    WHILE v_last < v_appends AND p_append_units[v_last + 1] = p_append_units[v_first] LOOP
      v_last := v_last + 1;
    END LOOP;
    v_bad := NULL;

    -- Is the unit already in the log, completely or in part?
    IF v_known THEN
      v_found := 0;
      v_strange := NULL;
      v_unit_event := v_event;
      FOR a IN v_first .. v_last LOOP
        FOR e IN v_event + 1 .. v_event + p_event_counts[a] LOOP
          IF k_stream[e] IS NOT NULL THEN
            v_found := v_found + 1;
            event_id := p_event_ids[e];
          END IF;
          IF k_stream[e] IS DISTINCT FROM p_stream_ids[p_append_streams[a]] THEN
            v_strange := coalesce(v_strange, a);
          END IF;
        END LOOP;
        v_event := v_event + p_event_counts[a];
      END LOOP;
      v_event := v_unit_event;

      IF v_found > 0 AND v_strange IS NULL THEN
        event_id := NULL;
        FOR a IN v_first .. v_last LOOP
          v_event := v_event + p_event_counts[a];
          status := 1;
          version := k_version[v_event];
          position := k_position[v_event];
          hash := k_hash[v_event];
          recorded_at := k_recorded_at[v_event];
          RETURN NEXT;
        END LOOP;
        -- Its blobs were stored the first time.
        u_refused[p_append_units[v_first]] := true;
        v_first := v_last + 1;
        CONTINUE;
      END IF;
      IF v_found > 0 THEN
        v_bad := v_strange;
        v_bad_status := 4;
      END IF;
    END IF;

    IF v_bad IS NULL THEN
      v_unit_event := v_event;
      FOR a IN v_first .. v_last LOOP
        v_stream := p_append_streams[a];
        IF h_correlation[v_stream] <> p_stream_correlations[v_stream] THEN
          v_bad := a;
          v_bad_status := 5;
        ELSIF h_closed[v_stream] AND NOT p_reopens[a] THEN
          v_bad := a;
          v_bad_status := 3;
        ELSIF p_expected[a] >= 0 AND p_expected[a] <> h_version[v_stream] THEN
          v_bad := a;
          v_bad_status := 2;
        ELSE
          -- After an end only the events that may follow it are accepted, also within one append. An open stream has not ended.
          v_type := h_type[v_stream];
          IF h_closed[v_stream] AND v_type IS NULL THEN
            SELECT e.type INTO v_type FROM phaseline.events AS e
            WHERE e.stream_id = p_stream_ids[v_stream] AND e.version = h_version[v_stream];
            IF v_type IS NULL THEN
              v_bad := a;
              v_bad_status := 3;
            END IF;
          END IF;
          FOR e IN v_unit_event + 1 .. v_unit_event + p_event_counts[a] LOOP
            IF NOT phaseline.may_follow(v_type, p_types[e]) THEN
              v_bad := a;
              v_bad_status := 3;
            END IF;
            v_type := p_types[e];
          END LOOP;
        END IF;
        EXIT WHEN v_bad IS NOT NULL;
        v_unit_event := v_unit_event + p_event_counts[a];
      END LOOP;
    END IF;

    IF v_bad IS NOT NULL THEN
      FOR a IN v_first .. v_last LOOP
        v_event := v_event + p_event_counts[a];
        status := CASE WHEN a = v_bad THEN v_bad_status ELSE 6 END;
        version := h_version[p_append_streams[a]];
        position := NULL;
        hash := NULL;
        recorded_at := NULL;
        RETURN NEXT;
      END LOOP;
      event_id := NULL;
      u_refused[p_append_units[v_first]] := true;
      v_first := v_last + 1;
      CONTINUE;
    END IF;

    FOR a IN v_first .. v_last LOOP
      v_stream := p_append_streams[a];
      v_version := h_version[v_stream];
      v_hash := h_hash[v_stream];
      FOR e IN v_event + 1 .. v_event + p_event_counts[a] LOOP
        v_version := v_version + 1;
        v_hash := phaseline.event_hash(v_hash, p_stream_ids[v_stream], v_version, p_event_ids[e], p_types[e],
          p_schema_versions[e], v_now_text, p_stream_correlations[v_stream], p_data[e], p_metadata[e]);
        e_version[e] := v_version;
        e_position[e] := nextval('phaseline.events_position_seq');
        e_hash[e] := v_hash;
      END LOOP;
      v_event := v_event + p_event_counts[a];

      h_version[v_stream] := v_version;
      h_hash[v_stream] := v_hash;
      h_type[v_stream] := p_types[v_event];
      h_closed[v_stream] := p_closes[a] OR phaseline.is_end(h_type[v_stream]);
      h_correlation[v_stream] := p_stream_correlations[v_stream];
      h_touched[v_stream] := true;
      IF h_exists[v_stream] THEN
        v_updates := true;
      ELSE
        v_inserts := true;
      END IF;
      IF p_wakes[a] THEN
        PERFORM pg_notify('phaseline_control', p_stream_correlations[v_stream]);
      END IF;

      status := 0;
      version := v_version;
      position := e_position[v_event];
      hash := v_hash;
      recorded_at := v_now;
      RETURN NEXT;
    END LOOP;
    v_first := v_last + 1;
  END LOOP;

  -- Sorted, because two batches with the same new blobs wait for each other row by row. An existing blob is locked and, if it is old,
  -- gets a new stored_at: collect_blobs removes neither.
  IF array_length(p_blob_units, 1) > 0 THEN
    INSERT INTO phaseline.blobs AS known (hash, content)
    SELECT DISTINCT ON (b.hash) b.hash, b.content
    FROM unnest(p_blob_units, p_blob_hashes, p_blob_contents) AS b(unit, hash, content)
    WHERE u_refused[b.unit] IS NOT TRUE
    ORDER BY b.hash
    ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour';
  END IF;

  IF v_inserts THEN
    INSERT INTO phaseline.streams (stream_id, version, hash, correlation_id, closed, updated_at)
    SELECT p_stream_ids[t.n], h_version[t.n], h_hash[t.n], h_correlation[t.n], h_closed[t.n], v_now
    FROM unnest(h_touched) WITH ORDINALITY AS t(touched, n)
    WHERE t.touched AND NOT h_exists[t.n];
  END IF;
  IF v_updates THEN
    UPDATE phaseline.streams AS h
    SET version = h_version[t.n], hash = h_hash[t.n], closed = h_closed[t.n], updated_at = v_now
    FROM unnest(h_touched) WITH ORDINALITY AS t(touched, n)
    WHERE t.touched AND h_exists[t.n] AND h.stream_id = p_stream_ids[t.n];
  END IF;

  IF v_inserts OR v_updates THEN
    INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id,
                                  type, correlation_id, hash, data, metadata)
    OVERRIDING SYSTEM VALUE
    SELECT e.position, e.version, pg_current_xact_id(), v_now, e.event_id, e.schema_version, p_stream_ids[e.stream],
           e.type, p_stream_correlations[e.stream], e.hash, e.data::json, e.metadata::json
    FROM unnest(e_position, e_version, e_hash, p_event_streams, p_event_ids, p_types, p_schema_versions, p_data, p_metadata)
      AS e(position, version, hash, stream, event_id, type, schema_version, data, metadata)
    WHERE e.version IS NOT NULL;
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.append(text[],text[],integer[],integer[],bigint[],integer[],boolean[],boolean[],integer[],uuid[],text[],integer[],text[],text[],integer[],bytea[],bytea[],boolean[]) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.append_event(p_stream_id text, p_correlation_id text, p_expected bigint, p_closes boolean, p_wakes boolean, p_event_id uuid, p_type text, p_schema_version integer, p_data text, p_metadata text)
 RETURNS TABLE(version bigint, "position" bigint, hash bytea, recorded_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the append must be the first write of its transaction' USING ERRCODE = 'PL002';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(p_correlation_id, 7406318255));

  version := p_expected + 1;
  recorded_at := clock_timestamp();
  -- The snapshot of this statement is taken after the lock, so it sees what the previous holder has committed.
  UPDATE phaseline.streams AS h
  SET version = append_event.version,
      closed = p_closes OR phaseline.is_end(p_type),
      updated_at = append_event.recorded_at,
      hash = phaseline.event_hash(h.hash, p_stream_id, append_event.version, p_event_id, p_type, p_schema_version,
               to_char(append_event.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), p_correlation_id, p_data, p_metadata)
  WHERE h.stream_id = p_stream_id
    AND h.version = p_expected
    AND h.correlation_id = p_correlation_id
    AND NOT h.closed
  RETURNING h.hash, nextval('phaseline.events_position_seq') INTO append_event.hash, append_event.position;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
                                correlation_id, hash, data, metadata)
  OVERRIDING SYSTEM VALUE
  VALUES (append_event.position, append_event.version, pg_current_xact_id(), append_event.recorded_at, p_event_id, p_schema_version,
          p_stream_id, p_type, p_correlation_id, append_event.hash, p_data::json, p_metadata::json);
  IF p_wakes THEN
    PERFORM pg_notify('phaseline_control', p_correlation_id);
  END IF;
  RETURN NEXT;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.append_event(text,text,bigint,boolean,boolean,uuid,text,integer,text,text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.append_one(p_stream_id text, p_correlation_id text, p_expected bigint, p_closes boolean, p_wakes boolean, p_event_ids uuid[], p_types text[], p_schema_versions integer[], p_data text[], p_metadata text[])
 RETURNS TABLE(version bigint, "position" bigint, hash bytea, recorded_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  v_now_text    text;
  v_closed      boolean;
  v_correlation text;
  v_closes      boolean;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the append must be the first write of its transaction' USING ERRCODE = 'PL002';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(p_correlation_id, 7406318255));

  SELECT h.version, h.hash, h.closed, h.correlation_id INTO version, hash, v_closed, v_correlation
  FROM phaseline.streams AS h WHERE h.stream_id = p_stream_id;
  IF v_closed OR v_correlation <> p_correlation_id OR (p_expected >= 0 AND p_expected <> coalesce(version, 0)) THEN
    RETURN;
  END IF;
  FOR e IN 2 .. array_length(p_types, 1) LOOP
    IF NOT phaseline.may_follow(p_types[e - 1], p_types[e]) THEN
      RETURN;
    END IF;
  END LOOP;
  v_closes := p_closes OR phaseline.is_end(p_types[array_length(p_types, 1)]);
  IF v_correlation IS NULL THEN
    version := 0;
    hash := '\x0000000000000000000000000000000000000000000000000000000000000000';
  END IF;
  recorded_at := clock_timestamp();
  v_now_text := to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

  FOR e IN 1 .. array_length(p_event_ids, 1) LOOP
    version := version + 1;
    hash := phaseline.event_hash(hash, p_stream_id, version, p_event_ids[e], p_types[e], p_schema_versions[e], v_now_text,
      p_correlation_id, p_data[e], p_metadata[e]);
    position := nextval('phaseline.events_position_seq');
    INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
                                  correlation_id, hash, data, metadata)
    OVERRIDING SYSTEM VALUE
    VALUES (append_one.position, append_one.version, pg_current_xact_id(), append_one.recorded_at, p_event_ids[e],
            p_schema_versions[e], p_stream_id, p_types[e], p_correlation_id, append_one.hash, p_data[e]::json, p_metadata[e]::json);
  END LOOP;

  IF v_correlation IS NULL THEN
    INSERT INTO phaseline.streams (stream_id, version, hash, correlation_id, closed, updated_at)
    VALUES (p_stream_id, append_one.version, append_one.hash, p_correlation_id, v_closes, append_one.recorded_at);
  ELSE
    UPDATE phaseline.streams AS h
    SET version = append_one.version, hash = append_one.hash, closed = v_closes, updated_at = append_one.recorded_at
    WHERE h.stream_id = p_stream_id;
  END IF;
  IF p_wakes THEN
    PERFORM pg_notify('phaseline_control', p_correlation_id);
  END IF;
  RETURN NEXT;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.append_one(text,text,bigint,boolean,boolean,uuid[],text[],integer[],text[],text[]) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.cache_requirements(p_collection text, p_job_id uuid, p_call_id text, p_entries jsonb)
 RETURNS TABLE(ordinal integer, entry_id bigint, is_new boolean, requirement_id text, status text, written_by uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  v_entry record;
  v_id    bigint;
  v_new   boolean;
BEGIN
  -- Sorted by digest, so that two calls with the same requirements never deadlock.
  FOR v_entry IN
    SELECT e.value AS value, e.ordinality::integer AS ordinal, decode(e.value ->> 'digest', 'hex') AS digest
    FROM jsonb_array_elements(p_entries) WITH ORDINALITY AS e ORDER BY e.value ->> 'digest', e.ordinality
  LOOP
    INSERT INTO phaseline.cached_requirements AS c
      (collection, digest, requirement_id, content, modality, section, citation, confidence, written_by)
    VALUES (p_collection, v_entry.digest, v_entry.value ->> 'id', v_entry.value ->> 'text', v_entry.value ->> 'modality',
            ARRAY(SELECT jsonb_array_elements_text(v_entry.value -> 'section')), v_entry.value -> 'citation',
            (v_entry.value ->> 'confidence')::real, p_job_id)
    ON CONFLICT (collection, digest) DO NOTHING
    RETURNING c.id INTO v_id;
    v_new := FOUND;
    IF NOT v_new THEN
      SELECT c.id INTO v_id FROM phaseline.cached_requirements AS c WHERE c.collection = p_collection AND c.digest = v_entry.digest;
    END IF;
    -- An earlier attempt of this call may have stored it already; its row is kept.
    INSERT INTO phaseline.requirement_statements (job_id, call_id, ordinal, entry_id, requirement_id, citation, is_new)
    VALUES (p_job_id, p_call_id, v_entry.ordinal, v_id, v_entry.value ->> 'id', v_entry.value -> 'citation', v_new)
    ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN QUERY
    SELECT s.ordinal, c.id, s.is_new, c.requirement_id, c.status, c.written_by
    FROM phaseline.requirement_statements AS s JOIN phaseline.cached_requirements AS c ON c.id = s.entry_id
    WHERE s.job_id = p_job_id AND s.call_id = p_call_id ORDER BY s.ordinal;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.cache_requirements(text,uuid,text,jsonb) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.claim_requirements(p_collection text, p_job_id uuid, p_call_id text, p_limit integer, p_lease interval, p_max_claims integer)
 RETURNS SETOF phaseline.cached_requirements
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_now timestamptz;
BEGIN
  -- Two attempts of one call, of which one is considered dead, must not both claim entries.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_job_id || '/' || p_call_id, 740615));
  v_now := clock_timestamp();
  RETURN QUERY
    UPDATE phaseline.cached_requirements AS c SET lease_expires_at = v_now + p_lease
    WHERE c.claimed_by = p_job_id AND c.claim_call = p_call_id AND c.status = 'claimed' AND c.lease_expires_at > v_now
      AND c.collection = p_collection
    RETURNING c.*;
  IF FOUND THEN
    RETURN;
  END IF;
  WITH exhausted AS (
    SELECT c.id FROM phaseline.cached_requirements AS c
    WHERE c.collection = p_collection AND c.status = 'claimed' AND c.lease_expires_at <= v_now AND c.token >= p_max_claims
    ORDER BY c.id LIMIT 100 FOR UPDATE SKIP LOCKED
  ), failed AS (
    UPDATE phaseline.cached_requirements AS c
    SET status = 'failed', lease_expires_at = NULL, ended_at = v_now, note = format('claimed %s times, and never finished', c.token)
    FROM exhausted WHERE c.id = exhausted.id RETURNING c.*
  )
  INSERT INTO phaseline.requirement_outcomes (job_id, call_id, entry_id, token, outcome, note)
  SELECT g.claimed_by, g.claim_call, g.id, g.token, 'expired', g.note FROM failed AS g ON CONFLICT DO NOTHING;
  RETURN QUERY
    WITH open AS (
      SELECT c.id FROM phaseline.cached_requirements AS c
      WHERE c.collection = p_collection
        AND (c.status = 'pending' OR (c.status = 'claimed' AND c.lease_expires_at <= v_now AND c.token < p_max_claims))
      ORDER BY c.id LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    UPDATE phaseline.cached_requirements AS c
    SET status = 'claimed', token = c.token + 1, claimed_by = p_job_id, claim_call = p_call_id, lease_expires_at = v_now + p_lease
    FROM open WHERE c.id = open.id
    RETURNING c.*;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.claim_requirements(text,uuid,text,integer,interval,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.clean_cached_requirements(p_before timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS TABLE(checked bigint, removed bigint, last timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_entries bigint[];
  v_writers uuid[];
  v_batches uuid[];
BEGIN
  WITH oldest AS MATERIALIZED (
    SELECT c.id, c.ended_at, c.written_by FROM phaseline.cached_requirements AS c
    WHERE c.ended_at < p_before AND c.ended_at > p_after ORDER BY c.ended_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), users AS MATERIALIZED (
    SELECT o.id AS entry_id, o.written_by AS job_id FROM oldest AS o
    UNION SELECT s.entry_id, s.job_id FROM phaseline.requirement_statements AS s JOIN oldest AS o ON o.id = s.entry_id
    UNION SELECT t.entry_id, t.job_id FROM phaseline.requirement_outcomes AS t JOIN oldest AS o ON o.id = t.entry_id
    UNION SELECT r.entry_id, r.job_id FROM phaseline.follow_on_requirements AS r JOIN oldest AS o ON o.id = r.entry_id
  ), needed AS MATERIALIZED (
    SELECT d.job_id FROM (SELECT DISTINCT u.job_id FROM users AS u) AS d WHERE NOT phaseline.is_long_ended(d.job_id::text, p_before)
  )
  SELECT count(*), max(o.ended_at), coalesce(array_agg(o.id) FILTER (
    WHERE NOT EXISTS (SELECT FROM users AS u JOIN needed AS n ON n.job_id = u.job_id WHERE u.entry_id = o.id)), '{}')
  INTO checked, last, v_entries FROM oldest AS o;

  DELETE FROM phaseline.requirement_outcomes AS t WHERE t.entry_id = ANY (v_entries);
  WITH deleted AS (DELETE FROM phaseline.follow_on_requirements AS r WHERE r.entry_id = ANY (v_entries) RETURNING r.job_id)
  SELECT array_agg(DISTINCT d.job_id) INTO v_batches FROM deleted AS d;
  WITH deleted AS (DELETE FROM phaseline.requirement_statements AS s WHERE s.entry_id = ANY (v_entries) RETURNING s.job_id)
  SELECT array_agg(DISTINCT d.job_id) INTO v_writers FROM deleted AS d;
  DELETE FROM phaseline.cached_requirements AS c WHERE c.id = ANY (v_entries);
  GET DIAGNOSTICS removed = ROW_COUNT;

  DELETE FROM phaseline.cache_writers AS w WHERE w.job_id = ANY (v_writers)
    AND NOT EXISTS (SELECT FROM phaseline.requirement_statements AS s WHERE s.job_id = w.job_id);
  -- The newest batch stays: the number of the next one, and with it the id of its job, follows from it.
  DELETE FROM phaseline.follow_on_batches AS b
  WHERE (b.agent, b.tenant, b.collection) IN (
      SELECT k.agent, k.tenant, k.collection FROM phaseline.follow_on_batches AS k WHERE k.job_id = ANY (v_batches))
    AND b.has_ended AND NOT EXISTS (SELECT FROM phaseline.follow_on_requirements AS r WHERE r.job_id = b.job_id)
    AND EXISTS (SELECT FROM phaseline.follow_on_batches AS n
                WHERE n.agent = b.agent AND n.tenant = b.tenant AND n.collection = b.collection AND n.batch > b.batch);
  RETURN NEXT;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.clean_cached_requirements(timestamp with time zone,timestamp with time zone,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.clean_dead_letters(p_before timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS TABLE(checked bigint, removed bigint, last timestamp with time zone)
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH oldest AS MATERIALIZED (
    SELECT l.id, l.payload ->> 'jobId' AS job_id, coalesce(l.retried_at, l.discarded_at) AS closed_at FROM phaseline.dead_letters AS l
    WHERE coalesce(l.retried_at, l.discarded_at) < p_before AND coalesce(l.retried_at, l.discarded_at) > p_after
    ORDER BY coalesce(l.retried_at, l.discarded_at) FETCH FIRST (p_limit) ROWS WITH TIES
  ), removed AS (
    DELETE FROM phaseline.dead_letters AS l USING oldest AS o
    WHERE l.id = o.id AND (o.job_id IS NULL OR NOT phaseline.is_on_hold(o.job_id))
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.closed_at) FROM oldest AS o
$function$;
GRANT EXECUTE ON FUNCTION phaseline.clean_dead_letters(timestamp with time zone,timestamp with time zone,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.clean_graph_calls(p_before timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS TABLE(checked bigint, removed bigint, last timestamp with time zone)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH oldest AS MATERIALIZED (
    SELECT c.job_id, c.call_id, c.called_at FROM phaseline.graph_calls AS c
    WHERE c.called_at < p_before AND c.called_at > p_after ORDER BY c.called_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), unneeded AS MATERIALIZED (
    SELECT d.job_id FROM (SELECT DISTINCT o.job_id FROM oldest AS o) AS d WHERE phaseline.is_long_ended(d.job_id::text, p_before)
  ), removed AS (
    DELETE FROM phaseline.graph_calls AS c USING oldest AS o, unneeded AS u
    WHERE u.job_id = o.job_id AND c.job_id = o.job_id AND c.call_id = o.call_id
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.called_at) FROM oldest AS o
$function$;
GRANT EXECUTE ON FUNCTION phaseline.clean_graph_calls(timestamp with time zone,timestamp with time zone,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.clean_retention_runs(p_before timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS TABLE(checked bigint, removed bigint, last timestamp with time zone)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_run uuid;
BEGIN
  SELECT r.run_id INTO v_run FROM phaseline.retention_runs AS r
  WHERE r.requested_at < p_before AND r.ended_at IS NOT NULL ORDER BY r.requested_at LIMIT 1;
  last := p_after;
  DELETE FROM phaseline.retention_run_jobs AS j WHERE j.run_id = v_run
    AND j.number IN (SELECT k.number FROM phaseline.retention_run_jobs AS k WHERE k.run_id = v_run ORDER BY k.number LIMIT p_limit);
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed < p_limit THEN
    DELETE FROM phaseline.retention_runs AS r WHERE r.run_id = v_run;
  END IF;
  -- Another call may find more.
  checked := CASE WHEN v_run IS NULL THEN 0 ELSE p_limit END;
  RETURN NEXT;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.clean_retention_runs(timestamp with time zone,timestamp with time zone,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.clean_snapshots(p_before timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS TABLE(checked bigint, removed bigint, last timestamp with time zone)
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH oldest AS MATERIALIZED (
    SELECT s.stream_id, s.fold_version, s.version, s.taken_at FROM phaseline.snapshots AS s
    WHERE s.taken_at < p_before AND s.taken_at > p_after ORDER BY s.taken_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), unneeded AS MATERIALIZED (
    SELECT h.stream_id FROM (SELECT DISTINCT o.stream_id FROM oldest AS o) AS d
    JOIN phaseline.streams AS h USING (stream_id) WHERE phaseline.is_long_ended(h.correlation_id, p_before)
  ), removed AS (
    DELETE FROM phaseline.snapshots AS s USING oldest AS o, unneeded AS u
    WHERE u.stream_id = o.stream_id
      AND s.stream_id = o.stream_id AND s.fold_version = o.fold_version AND s.version = o.version
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.taken_at) FROM oldest AS o
$function$;
GRANT EXECUTE ON FUNCTION phaseline.clean_snapshots(timestamp with time zone,timestamp with time zone,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.collect_blobs(p_grace interval, p_after bytea, p_limit integer, p_dry_run boolean)
 RETURNS TABLE(hash bytea, size bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  v_before    timestamptz := now() - p_grace;
  v_from      phaseline.blob_mark_progress;
  v_manifests bytea[];
  v_blobs     bytea[];
  v_late      bytea[];
BEGIN
  IF p_grace < interval '2 hours' THEN
    RAISE EXCEPTION 'a grace period of % is too short: a process that has just stored a blob may be about to refer to it', p_grace
      USING ERRCODE = 'PL009', HINT = 'Use two hours or more.';
  END IF;
  SELECT * INTO v_from FROM phaseline.blob_mark_progress FOR UPDATE;

  SELECT coalesce(array_agg(c.hash), '{}') INTO v_manifests FROM (
    SELECT m.hash FROM phaseline.blob_manifests AS m
    WHERE m.stored_at < v_before AND NOT EXISTS (SELECT FROM phaseline.blob_marks AS k WHERE k.hash = m.hash)
    ORDER BY m.hash FOR UPDATE SKIP LOCKED
  ) AS c;
  SELECT coalesce(array_agg(c.hash), '{}') INTO v_blobs FROM (
    SELECT b.hash FROM phaseline.blobs AS b
    WHERE b.hash > p_after AND b.stored_at < v_before
      AND NOT EXISTS (SELECT FROM phaseline.blob_marks AS k WHERE k.hash = b.hash)
      AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = b.hash AND p.hash <> ALL (v_manifests))
    ORDER BY b.hash LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS c;

  -- A new statement sees what was committed before the locks were taken.
  SELECT coalesce(array_agg(h), '{}') INTO v_late FROM phaseline.events AS e,
    LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS h
  WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position);
  v_manifests := ARRAY(SELECT m FROM unnest(v_manifests) AS m WHERE m <> ALL (v_late));
  v_blobs := ARRAY(
    SELECT b FROM unnest(v_blobs) AS b WHERE b <> ALL (v_late)
      AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = b AND p.hash <> ALL (v_manifests)));

  RETURN QUERY SELECT b.hash, b.size FROM phaseline.blobs AS b WHERE b.hash = ANY (v_blobs) ORDER BY b.hash;
  IF NOT p_dry_run THEN
    DELETE FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_manifests);
    DELETE FROM phaseline.blobs AS b WHERE b.hash = ANY (v_blobs);
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.collect_blobs(interval,bytea,integer,boolean) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.count_kept_files(p_correlation_id text, p_grace interval)
 RETURNS TABLE(needed_elsewhere bigint, recently_stored bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT count(*) FILTER (WHERE k.is_needed), count(*) FILTER (WHERE NOT k.is_needed AND k.stored_at >= now() - p_grace)
  FROM (
    SELECT c.stored_at, phaseline.is_content_needed(c.hash, p_correlation_id)
      OR EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = c.hash) AS is_needed
    FROM (
      SELECT b.hash, b.stored_at FROM phaseline.blobs AS b
      UNION ALL SELECT m.hash, m.stored_at FROM phaseline.blob_manifests AS m
    ) AS c JOIN phaseline.file_references AS r ON r.hash = c.hash AND r.correlation_id = p_correlation_id AND NOT r.of_event
  ) AS k
$function$;
GRANT EXECUTE ON FUNCTION phaseline.count_kept_files(text,interval) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.count_slot()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    UPDATE phaseline.tenant_turns SET held = 0, waiting = 0 WHERE held > 0 OR waiting > 0;
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.tenant = NEW.tenant AND OLD.kind = NEW.kind THEN
    UPDATE phaseline.tenant_turns AS t
    SET held = t.held - (OLD.granted_at IS NOT NULL)::integer + (NEW.granted_at IS NOT NULL)::integer,
        waiting = t.waiting - (OLD.granted_at IS NULL)::integer + (NEW.granted_at IS NULL)::integer,
        last_granted_at = greatest(t.last_granted_at, NEW.granted_at)
    WHERE t.tenant = NEW.tenant AND t.kind = NEW.kind;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE phaseline.tenant_turns AS t
    SET held = t.held - (OLD.granted_at IS NOT NULL)::integer, waiting = t.waiting - (OLD.granted_at IS NULL)::integer
    WHERE t.tenant = OLD.tenant AND t.kind = OLD.kind;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO phaseline.tenant_turns AS t (tenant, kind, held, waiting, last_granted_at)
    VALUES (NEW.tenant, NEW.kind, (NEW.granted_at IS NOT NULL)::integer, (NEW.granted_at IS NULL)::integer,
            coalesce(NEW.granted_at, '-infinity'))
    ON CONFLICT (tenant, kind) DO UPDATE
    SET held = t.held + excluded.held, waiting = t.waiting + excluded.waiting,
        last_granted_at = greatest(t.last_granted_at, excluded.last_granted_at);
  END IF;
  RETURN NULL;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.count_slot() TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.create_job_key(p_correlation_id text, p_wrapped bytea, p_master_key_id text)
 RETURNS TABLE(wrapped bytea, master_key_id text, erased_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
BEGIN
  INSERT INTO phaseline.job_keys (correlation_id, wrapped, master_key_id)
  VALUES (p_correlation_id, p_wrapped, p_master_key_id)
  ON CONFLICT DO NOTHING;
  -- A separate statement, which sees the row of a concurrent caller.
  RETURN QUERY SELECT k.wrapped, k.master_key_id, k.erased_at FROM phaseline.job_keys AS k
    WHERE k.correlation_id = p_correlation_id;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.create_job_key(text,bytea,text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.create_read_model(p_name text, p_revision integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_version integer;
  v_table   text;
BEGIN
  IF to_regclass(format('phaseline.%I', p_name || '_template')) IS NULL THEN
    RAISE EXCEPTION 'there is no read model %', p_name USING ERRCODE = 'PL010';
  END IF;
  SELECT coalesce(max(version), 0) + 1 INTO v_version FROM phaseline.read_models WHERE name = p_name;
  v_table := p_name || '_v' || v_version;
  -- Rows are rewritten all the time: free space on the page allows HOT updates.
  EXECUTE format('CREATE TABLE phaseline.%I (LIKE phaseline.%I INCLUDING ALL) WITH (fillfactor = %s)',
    v_table, p_name || '_template', CASE WHEN p_name = 'jobs' THEN 70 ELSE 90 END);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.%I TO phaseline_service', v_table);
  INSERT INTO phaseline.read_models (name, version, revision, state) VALUES (p_name, v_version, p_revision, 'building');
  RETURN v_version;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.create_read_model(text,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.drop_read_model(p_name text, p_version integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  UPDATE phaseline.read_models SET state = 'dropped'
  WHERE name = p_name AND version = p_version AND state IN ('building', 'retired');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'version % of read model % is in use, or was dropped before', p_version, p_name USING ERRCODE = 'PL012';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS phaseline.%I', p_name || '_v' || p_version);
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.drop_read_model(text,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.end_requirement_claim(p_collection text, p_job_id uuid, p_call_id text, p_entry bigint, p_token integer, p_outcome text, p_note text, p_lease interval)
 RETURNS TABLE(accepted boolean, status text, token integer, lease_expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  v_entry phaseline.cached_requirements;
  v_now   timestamptz;
BEGIN
  SELECT * INTO v_entry FROM phaseline.cached_requirements AS c
  WHERE c.id = p_entry AND c.collection = p_collection FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  v_now := clock_timestamp();
  IF EXISTS (SELECT FROM phaseline.requirement_outcomes AS o
             WHERE o.job_id = p_job_id AND o.call_id = p_call_id AND o.entry_id = p_entry AND o.token = p_token AND o.outcome <> 'expired') THEN
    RETURN QUERY SELECT true, v_entry.status, v_entry.token, v_entry.lease_expires_at;
    RETURN;
  END IF;
  IF v_entry.status <> 'claimed' OR v_entry.claimed_by <> p_job_id OR v_entry.token <> p_token OR v_entry.lease_expires_at <= v_now THEN
    RETURN QUERY SELECT false, v_entry.status, v_entry.token, v_entry.lease_expires_at;
    RETURN;
  END IF;
  IF p_outcome = 'renew' THEN
    UPDATE phaseline.cached_requirements AS c SET lease_expires_at = v_now + p_lease WHERE c.id = p_entry;
  ELSE
    UPDATE phaseline.cached_requirements AS c
    SET status = CASE p_outcome WHEN 'release' THEN 'pending' ELSE p_outcome END, lease_expires_at = NULL, note = p_note,
        ended_at = CASE p_outcome WHEN 'release' THEN NULL ELSE v_now END
    WHERE c.id = p_entry;
    INSERT INTO phaseline.requirement_outcomes (job_id, call_id, entry_id, token, outcome, note)
    VALUES (p_job_id, p_call_id, p_entry, p_token, p_outcome, p_note);
  END IF;
  RETURN QUERY SELECT true, c.status, c.token, c.lease_expires_at FROM phaseline.cached_requirements AS c WHERE c.id = p_entry;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.end_requirement_claim(text,uuid,text,bigint,integer,text,text,interval) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.erase_job_key(p_correlation_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_erased boolean;
BEGIN
  UPDATE phaseline.job_keys SET wrapped = NULL, erased_at = clock_timestamp()
  WHERE correlation_id = p_correlation_id AND wrapped IS NOT NULL;
  v_erased := FOUND;
  DELETE FROM phaseline.encrypted_blobs WHERE correlation_id = p_correlation_id;
  RETURN v_erased;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.erase_job_key(text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.event_hash(p_previous bytea, p_stream_id text, p_version bigint, p_event_id uuid, p_type text, p_schema_version integer, p_recorded_at text, p_correlation_id text, p_data text, p_metadata text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
RETURN sha256((p_previous || convert_to(concat(octet_length(p_stream_id), ':', p_stream_id, ',', octet_length((p_version)::text), ':', p_version, ',36:', p_event_id, ',', octet_length(p_type), ':', p_type, ',', octet_length((p_schema_version)::text), ':', p_schema_version, ',27:', p_recorded_at, ',', octet_length(p_correlation_id), ':', p_correlation_id, ',', octet_length(p_data), ':', p_data, ',', octet_length(p_metadata), ':', p_metadata, ','), 'UTF8'::name)));
GRANT EXECUTE ON FUNCTION phaseline.event_hash(bytea,text,bigint,uuid,text,integer,text,text,text,text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.forget_vectors(p_job_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_chunks integer;
BEGIN
  WITH deleted AS (
    DELETE FROM phaseline.vector_chunks AS c WHERE c.job_id = p_job_id RETURNING c.tenant, c.space, c.digest
  ), unused AS (
    DELETE FROM phaseline.vector_embeddings AS e
    WHERE (e.tenant, e.space, e.digest) IN (SELECT g.tenant, g.space, g.digest FROM deleted AS g)
      AND NOT EXISTS (
        SELECT FROM phaseline.vector_chunks AS o
        WHERE o.tenant = e.tenant AND o.space = e.space AND o.digest = e.digest AND o.job_id <> p_job_id)
  )
  SELECT count(*) INTO v_chunks FROM deleted;
  DELETE FROM phaseline.vector_files AS f WHERE f.job_id = p_job_id;
  RETURN v_chunks;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.forget_vectors(uuid) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.grant_available_slots(p_settings jsonb)
 RETURNS TABLE(job_id uuid, phase integer, waited_ms double precision)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.tenant_turns AS t
  WHERE t.held = 0 AND t.waiting = 0 AND t.last_granted_at < clock_timestamp() - interval '1 day';
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.grant_available_slots(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.grant_slots(p_settings jsonb)
 RETURNS TABLE(job_id uuid, phase integer, waited_ms double precision)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  c_kinds  CONSTANT text[] := ARRAY['strategic', 'tactical'];
  v_room   integer[] := ARRAY[0, 0];
  v_granted integer := 0;
  v_before integer := -1;
  v_tenant text;
  v_now    timestamptz;
BEGIN
  FOR k IN 1 .. 2 LOOP
    IF EXISTS (SELECT FROM phaseline.tenant_turns AS t WHERE t.kind = c_kinds[k] AND t.waiting > 0) THEN
      v_room[k] := phaseline.slot_window(c_kinds[k], p_settings)
        - (SELECT count(*) FROM phaseline.slots AS s WHERE s.kind = c_kinds[k] AND s.granted_at IS NOT NULL);
    END IF;
  END LOOP;

  WHILE v_granted > v_before AND v_granted < 64 LOOP
    v_before := v_granted;
    FOR k IN 1 .. 2 LOOP
      CONTINUE WHEN v_room[k] <= 0;
      SELECT t.tenant INTO v_tenant
      FROM phaseline.tenant_turns AS t
      LEFT JOIN phaseline.tenant_turns AS o ON o.tenant = t.tenant AND o.kind = c_kinds[3 - k]
      CROSS JOIN LATERAL (
        SELECT coalesce(phaseline.tenant_limit(t.tenant, p_settings), 2147483647) - t.held - coalesce(o.held, 0) AS room
        -- OFFSET 0: otherwise the limit would be computed again for each of the conditions below.
        OFFSET 0
      ) AS own
      WHERE t.kind = c_kinds[k] AND t.waiting > 0 AND own.room > 0
        AND (own.room > 1 OR v_room[3 - k] <= 0 OR NOT EXISTS (
          SELECT FROM phaseline.slots AS q
          WHERE q.kind = c_kinds[3 - k] AND q.granted_at IS NULL AND q.tenant = t.tenant
            AND (q.priority, q.queued_at, q.job_id) < (
              SELECT s.priority, s.queued_at, s.job_id FROM phaseline.slots AS s
              WHERE s.kind = c_kinds[k] AND s.granted_at IS NULL AND s.tenant = t.tenant
              ORDER BY s.priority, s.queued_at, s.job_id LIMIT 1)))
      ORDER BY t.held, t.last_granted_at, t.tenant
      LIMIT 1;
      CONTINUE WHEN NOT FOUND;

      v_now := clock_timestamp();
      UPDATE phaseline.slots AS g SET granted_at = v_now
      WHERE g.job_id = (SELECT s.job_id FROM phaseline.slots AS s
                        WHERE s.kind = c_kinds[k] AND s.granted_at IS NULL AND s.tenant = v_tenant
                        ORDER BY s.priority, s.queued_at, s.job_id LIMIT 1)
      RETURNING g.job_id, g.phase, extract(epoch FROM v_now - g.requested_at) * 1000 INTO job_id, phase, waited_ms;
      RETURN NEXT;
      v_room[k] := v_room[k] - 1;
      v_granted := v_granted + 1;
    END LOOP;
  END LOOP;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.grant_slots(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.hashes_in(p_text text)
 RETURNS SETOF bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT decode(m[1], 'hex') FROM regexp_matches(p_text, '(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])', 'g') AS m
$function$;
GRANT EXECUTE ON FUNCTION phaseline.hashes_in(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.is_content_needed(p_hash bytea, p_correlation_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT EXISTS (
    SELECT FROM phaseline.file_references AS r
    WHERE r.hash = p_hash AND (r.of_event OR (r.correlation_id <> p_correlation_id
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = r.correlation_id))))
$function$;

CREATE OR REPLACE FUNCTION phaseline.is_encrypted_job(p_correlation_id text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT p_correlation_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
$function$;
GRANT EXECUTE ON FUNCTION phaseline.is_encrypted_job(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.is_end(p_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (p_type = ANY (ARRAY['JobCompleted'::text, 'JobCancelled'::text, 'JobFailed'::text, 'JobErased'::text, 'PhaseCompleted'::text, 'PhaseFailed'::text, 'PhaseCancelled'::text]));
GRANT EXECUTE ON FUNCTION phaseline.is_end(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.is_long_ended(p_job_id text, p_before timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT coalesce((
    SELECT e.type <> 'JobRetried' AND e.recorded_at < p_before FROM phaseline.events AS e
    WHERE e.stream_id = 'job-' || p_job_id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
    ORDER BY e.version DESC LIMIT 1), false) AND NOT phaseline.is_on_hold(p_job_id)
$function$;
GRANT EXECUTE ON FUNCTION phaseline.is_long_ended(text,timestamp with time zone) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.is_on_hold(p_job_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT coalesce((
    SELECT e.type = 'HoldPlaced' FROM phaseline.events AS e
    WHERE e.correlation_id = p_job_id AND e.type IN ('HoldPlaced', 'HoldReleased') ORDER BY e.position DESC LIMIT 1), false)
$function$;
GRANT EXECUTE ON FUNCTION phaseline.is_on_hold(text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.learning_lexemes(p_text text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT to_tsvector('pg_catalog.english', translate(p_text, '/\._-:', '      ')) $function$;
GRANT EXECUTE ON FUNCTION phaseline.learning_lexemes(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.lock_slots()
 RETURNS void
 LANGUAGE sql
RETURN pg_advisory_xact_lock('7406318257'::bigint);
GRANT EXECUTE ON FUNCTION phaseline.lock_slots() TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.mark_blobs(p_events integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_from phaseline.blob_mark_progress;
  v_done integer;
  v_to   xid8;
BEGIN
  SELECT * INTO v_from FROM phaseline.blob_mark_progress FOR UPDATE;
  SELECT count(*), max(n.transaction_id) INTO v_done, v_to FROM (
    SELECT e.transaction_id FROM phaseline.events AS e
    WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position)
      AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.transaction_id, e.position LIMIT p_events
  ) AS n;
  IF v_done = 0 THEN
    RETURN 0;
  END IF;
  -- Includes all events of the last transaction, so that progress is always at the end of a transaction.
  INSERT INTO phaseline.blob_marks (hash)
  SELECT DISTINCT h FROM phaseline.events AS e,
    LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS h
  WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position)
    AND e.transaction_id <= v_to
  ON CONFLICT DO NOTHING;
  UPDATE phaseline.blob_mark_progress SET transaction_id = v_to, position = 9223372036854775807;
  RETURN v_done;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.mark_blobs(integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (p_previous = ANY (ARRAY['JobCompleted'::text, 'JobCancelled'::text, 'JobFailed'::text])) THEN ((p_next = ANY (ARRAY['JobErased'::text, 'RepositoryChanged'::text, 'RepositoryOutputRequested'::text, 'RepositoryOutputMade'::text, 'RepositoryOutputFailed'::text, 'FilesRemoved'::text, 'VectorsRemoved'::text, 'HoldPlaced'::text, 'HoldReleased'::text, 'JobMovedToColdStorage'::text])) OR ((p_previous = 'JobFailed'::text) AND (p_next = 'JobRetried'::text))) WHEN (p_previous = ANY (ARRAY['JobErased'::text, 'PhaseCompleted'::text, 'PhaseFailed'::text, 'PhaseCancelled'::text])) THEN false ELSE true END;
GRANT EXECUTE ON FUNCTION phaseline.may_follow(text,text) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.movable_streams(p_correlation_id text)
 RETURNS TABLE(stream_id text, version bigint, hash bytea)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT h.stream_id, h.version, h.hash FROM phaseline.streams AS h
  WHERE h.stream_id > 'phase-' || p_correlation_id || '-' AND h.stream_id < 'phase-' || p_correlation_id || '.'
    AND h.correlation_id = p_correlation_id AND h.closed
    AND NOT EXISTS (SELECT FROM phaseline.cold_streams AS c WHERE c.stream_id = h.stream_id)
$function$;
GRANT EXECUTE ON FUNCTION phaseline.movable_streams(text) TO phaseline_archivist;

CREATE OR REPLACE FUNCTION phaseline.move_to_cold_storage(p_correlation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  v_data    jsonb;
  v_end     text;
  v_hold    text;
  v_streams text[];
  v_events  bigint;
  v_digest  text;
  v_first   phaseline.events;
  v_last    phaseline.events;
BEGIN
  SELECT e.data::jsonb INTO v_data FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'JobMovedToColdStorage' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_data IS NULL THEN
    RAISE EXCEPTION 'events of % may only be dropped in the transaction of an event JobMovedToColdStorage', p_correlation_id
      USING ERRCODE = 'PL012', HINT = 'Append the event first.';
  END IF;

  SELECT e.type INTO v_end FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried')
  ORDER BY e.version DESC LIMIT 1;
  IF v_end IS NULL OR v_end = 'JobRetried' THEN
    RAISE EXCEPTION 'job % has not ended', p_correlation_id USING ERRCODE = 'PL013';
  END IF;
  SELECT e.type INTO v_hold FROM phaseline.events AS e
  WHERE e.correlation_id = p_correlation_id AND e.type IN ('HoldPlaced', 'HoldReleased') ORDER BY e.position DESC LIMIT 1;
  IF v_hold = 'HoldPlaced' THEN
    RAISE EXCEPTION 'a legal hold is on job %', p_correlation_id USING ERRCODE = 'PL013';
  END IF;

  v_streams := ARRAY(SELECT m.stream_id FROM phaseline.movable_streams(p_correlation_id) AS m);
  SELECT count(*), encode(sha256(convert_to(string_agg(
      e.position || ' ' || e.transaction_id || ' ' || encode(e.hash, 'hex') || E'\n', '' ORDER BY e.position), 'UTF8')), 'hex')
    INTO v_events, v_digest FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams);
  IF v_events = 0 OR v_events <> (v_data ->> 'events')::bigint OR v_digest IS DISTINCT FROM v_data ->> 'digest' THEN
    RAISE EXCEPTION 'archive % does not contain the events of the ended phases of %', v_data ->> 'archive', p_correlation_id
      USING ERRCODE = 'PL014', HINT = 'Make the archive again.';
  END IF;
  IF EXISTS (
    SELECT FROM phaseline.movable_streams(p_correlation_id) AS m WHERE NOT EXISTS (
      SELECT FROM phaseline.anchored_heads AS a WHERE a.stream_id = m.stream_id AND a.version = m.version AND a.hash = m.hash)
  ) THEN
    RAISE EXCEPTION 'no anchor covers all events of the phases of %', p_correlation_id
      USING ERRCODE = 'PL015', HINT = 'Wait for the next anchor, or make one: phaseline audit anchor.';
  END IF;

  SELECT * INTO v_first FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams) ORDER BY e.transaction_id, e.position LIMIT 1;
  SELECT * INTO v_last FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams) ORDER BY e.transaction_id DESC, e.position DESC LIMIT 1;
  IF v_last.transaction_id > (SELECT p.transaction_id FROM phaseline.blob_mark_progress AS p)
     OR v_last.transaction_id > (SELECT p.transaction_id FROM phaseline.file_reference_progress AS p) THEN
    RAISE EXCEPTION 'references of the events of % to files are not recorded', p_correlation_id
      USING ERRCODE = 'PL016', HINT = 'Call mark_blobs and reference_files until both return 0.';
  END IF;

  INSERT INTO phaseline.cold_archives (archive, correlation_id, sha256, bytes, events, first_transaction_id, first_position,
                                       last_transaction_id, last_position)
  VALUES (v_data ->> 'archive', p_correlation_id, decode(v_data ->> 'sha256', 'hex'), (v_data ->> 'bytes')::bigint, v_events,
          v_first.transaction_id, v_first.position, v_last.transaction_id, v_last.position);
  INSERT INTO phaseline.cold_streams (stream_id, archive) SELECT s, v_data ->> 'archive' FROM unnest(v_streams) AS s;
  DELETE FROM phaseline.cold_candidates AS c WHERE c.correlation_id = p_correlation_id;
  DELETE FROM phaseline.snapshots AS s WHERE s.stream_id = ANY (v_streams);
  DELETE FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams);
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.move_to_cold_storage(text) TO phaseline_archivist;

CREATE OR REPLACE FUNCTION phaseline.partition_of(p_correlation_id text, p_partitions integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((hashtextextended(p_correlation_id, (0)::bigint) & '9223372036854775807'::bigint) % (p_partitions)::bigint))::integer;
GRANT EXECUTE ON FUNCTION phaseline.partition_of(text,integer) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.pieces_name(p_hashes bytea[], p_sizes bigint[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT substring(sha512(convert_to(concat('18:phaseline-pieces-1,',
    octet_length(sum(p.size)::text), ':', sum(p.size), ',',
    octet_length(count(*)::text), ':', count(*), ',',
    string_agg(concat('64:', encode(p.hash, 'hex'), ',', octet_length(p.size::text), ':', p.size, ','), '' ORDER BY p.number)),
    'UTF8')) FOR 32)
  FROM unnest(p_hashes, p_sizes) WITH ORDINALITY AS p(hash, size, number)
$function$;
GRANT EXECUTE ON FUNCTION phaseline.pieces_name(bytea[],bigint[]) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.put_blob(p_hash bytea, p_content bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  INSERT INTO phaseline.blobs AS known (hash, content) VALUES (p_hash, p_content)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour'
$function$;
GRANT EXECUTE ON FUNCTION phaseline.put_blob(bytea,bytea) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.put_encrypted_blobs(p_correlation_id text, p_names bytea[], p_contents bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  PERFORM FROM phaseline.job_keys WHERE correlation_id = p_correlation_id AND wrapped IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'job % has no key: it was erased, or never existed', p_correlation_id USING ERRCODE = 'PL013';
  END IF;
  -- Sorted, so that two transactions with the same contents never deadlock.
  INSERT INTO phaseline.encrypted_blobs (correlation_id, name, content)
  SELECT p_correlation_id, b.name, b.content FROM unnest(p_names, p_contents) AS b(name, content) ORDER BY b.name
  ON CONFLICT DO NOTHING;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.put_encrypted_blobs(text,bytea[],bytea[]) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.put_manifest(p_hash bytea, p_pieces bytea[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_count integer := coalesce(array_length(p_pieces, 1), 0);
  v_size  bigint;
  v_known integer;
  v_odd   integer;
  v_name  bytea;
BEGIN
  -- Sorted to avoid deadlocks, and locked so that no piece can be removed before this transaction commits.
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (p_pieces) ORDER BY b.hash FOR KEY SHARE;
  SELECT count(b.hash), sum(b.size), count(*) FILTER (WHERE b.size <> 1048576 AND (p.number < v_count OR b.size NOT BETWEEN 1 AND 1048576)),
         phaseline.pieces_name(array_agg(b.hash ORDER BY p.number), array_agg(b.size ORDER BY p.number))
    INTO v_known, v_size, v_odd, v_name
    FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number) LEFT JOIN phaseline.blobs AS b ON b.hash = p.hash;
  IF v_count = 0 OR v_known <> v_count OR v_odd > 0 THEN
    RAISE EXCEPTION 'a manifest of % pieces, of which % are stored and % have an invalid size', v_count, v_known, v_odd
      USING ERRCODE = 'PL008', HINT = 'Store every piece first: 1 MiB each, and the rest in the last one.';
  END IF;
  IF v_name IS DISTINCT FROM p_hash THEN
    RAISE EXCEPTION 'a manifest named %, but the name of its pieces is %', encode(p_hash, 'hex'), encode(v_name, 'hex')
      USING ERRCODE = 'PL008', HINT = 'The name of a large file follows from its pieces: see docs/concepts/audit.md.';
  END IF;
  INSERT INTO phaseline.blob_manifests AS known (hash, size, pieces) VALUES (p_hash, v_size, v_count)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour';
  INSERT INTO phaseline.blob_pieces (hash, number, piece)
  SELECT p_hash, p.number - 1, p.hash FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number)
  ON CONFLICT DO NOTHING;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.put_manifest(bytea,bytea[]) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.record_running_slot(p_job_id uuid, p_phase integer, p_kind text, p_tenant text, p_priority integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_now timestamptz;
BEGIN
  PERFORM phaseline.lock_slots();
  v_now := clock_timestamp();
  INSERT INTO phaseline.slots AS s (job_id, phase, kind, tenant, priority, queued_at, requested_at, granted_at)
  VALUES (p_job_id, p_phase, p_kind, p_tenant, p_priority, v_now, v_now, v_now)
  ON CONFLICT (job_id) DO UPDATE
  SET phase = excluded.phase, kind = excluded.kind, tenant = excluded.tenant, priority = excluded.priority, granted_at = v_now
  WHERE s.phase < excluded.phase OR (s.phase = excluded.phase AND s.granted_at IS NULL);
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.record_running_slot(uuid,integer,text,text,integer) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.reference_files(p_events integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_from xid8;
  v_done integer;
  v_to   xid8;
BEGIN
  SELECT transaction_id INTO v_from FROM phaseline.file_reference_progress FOR UPDATE;
  SELECT count(*), max(n.transaction_id) INTO v_done, v_to FROM (
    SELECT e.transaction_id FROM phaseline.events AS e
    WHERE e.transaction_id > v_from AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.transaction_id LIMIT p_events
  ) AS n;
  IF v_done = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO phaseline.file_references (hash, correlation_id, of_event)
  SELECT h, e.correlation_id, false FROM phaseline.events AS e, LATERAL phaseline.hashes_in(e.data::text) AS h
  WHERE e.transaction_id > v_from AND e.transaction_id <= v_to
  UNION SELECT h, e.correlation_id, true FROM phaseline.events AS e, LATERAL phaseline.hashes_in(e.metadata::text) AS h
  WHERE e.transaction_id > v_from AND e.transaction_id <= v_to
  ON CONFLICT DO NOTHING;
  PERFORM phaseline.refresh_candidates(ARRAY(
    SELECT DISTINCT e.correlation_id FROM phaseline.events AS e
    WHERE e.transaction_id > v_from AND e.transaction_id <= v_to AND e.stream_id = 'job-' || e.correlation_id
      AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased', 'FilesRemoved', 'VectorsRemoved')));
  UPDATE phaseline.file_reference_progress SET transaction_id = v_to;
  RETURN v_done;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.reference_files(integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.refresh_candidates(p_correlation_ids text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH latest AS (
    SELECT j.id, l.type, l.recorded_at FROM unnest(p_correlation_ids) AS j(id), LATERAL (
      SELECT e.type, e.recorded_at FROM phaseline.events AS e
      WHERE e.stream_id = 'job-' || j.id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
      ORDER BY e.version DESC LIMIT 1) AS l
  ), candidates AS (
    SELECT l.id, l.recorded_at, coalesce(s.data ->> 'tenant', s.data -> 'carried' ->> 'tenant', 'default') AS tenant,
      EXISTS (SELECT FROM phaseline.vector_files AS v WHERE v.job_id = l.id::uuid) AS has_vectors
    FROM latest AS l JOIN phaseline.events AS s ON s.stream_id = 'job-' || l.id AND s.version = 1
    WHERE l.type NOT IN ('JobRetried', 'JobErased') AND NOT phaseline.is_encrypted_job(l.id)
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = l.id)
  ), removed AS (
    DELETE FROM phaseline.retention_candidates AS c
    WHERE c.correlation_id = ANY (p_correlation_ids) AND NOT EXISTS (SELECT FROM candidates AS n WHERE n.id = c.correlation_id)
  )
  INSERT INTO phaseline.retention_candidates AS c (correlation_id, tenant, ended_at, has_vectors)
  SELECT n.id, n.tenant, n.recorded_at, n.has_vectors FROM candidates AS n
  ON CONFLICT (correlation_id) DO UPDATE SET ended_at = excluded.ended_at, has_vectors = excluded.has_vectors;
  SELECT phaseline.refresh_cold_candidates(p_correlation_ids)
$function$;

CREATE OR REPLACE FUNCTION phaseline.refresh_cold_candidates(p_correlation_ids text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH candidates AS (
    SELECT j.id, l.recorded_at, coalesce(s.data ->> 'tenant', s.data -> 'carried' ->> 'tenant', 'default') AS tenant
    FROM unnest(p_correlation_ids) AS j(id), LATERAL (
      SELECT e.type, e.recorded_at FROM phaseline.events AS e
      WHERE e.stream_id = 'job-' || j.id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
      ORDER BY e.version DESC LIMIT 1) AS l, phaseline.events AS s
    WHERE s.stream_id = 'job-' || j.id AND s.version = 1 AND l.type NOT IN ('JobRetried', 'JobErased')
      AND EXISTS (SELECT FROM phaseline.movable_streams(j.id))
  ), removed AS (
    DELETE FROM phaseline.cold_candidates AS c
    WHERE c.correlation_id = ANY (p_correlation_ids) AND NOT EXISTS (SELECT FROM candidates AS n WHERE n.id = c.correlation_id)
  )
  INSERT INTO phaseline.cold_candidates AS c (correlation_id, tenant, ended_at)
  SELECT n.id, n.tenant, n.recorded_at FROM candidates AS n
  ON CONFLICT (correlation_id) DO UPDATE SET ended_at = excluded.ended_at
$function$;

CREATE OR REPLACE FUNCTION phaseline.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  RAISE EXCEPTION '% on phaseline.% is refused: anchors are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'PL001';
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.refuse_audit_change() TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_stack text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF v_stack ~ '\nPL/pgSQL function phaseline\.move_to_cold_storage\(' THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION '% on phaseline.events is refused: the log is append-only', TG_OP
    USING ERRCODE = 'PL001', HINT = 'Record the correction as a new event.';
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.refuse_change() TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.refuse_content_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_stack text;
BEGIN
  IF TG_OP = 'DELETE' AND TG_NARGS > 0 THEN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF v_stack ~ ('\nPL/pgSQL function phaseline\.' || TG_ARGV[0] || '\(') THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION '% on phaseline.% is refused: stored content is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'PL001',
      HINT = CASE WHEN TG_NARGS > 0 THEN format('Only phaseline.%s deletes.', TG_ARGV[0]) ELSE 'Nothing deletes here.' END;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.refuse_content_change() TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.release_slot(p_job_id uuid, p_settings jsonb)
 RETURNS TABLE(job_id uuid, phase integer, waited_ms double precision)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.slots AS s WHERE s.job_id = p_job_id;
  IF FOUND THEN
    RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.release_slot(uuid,jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.removable_files(p_correlation_id text, p_grace interval, p_limit integer)
 RETURNS TABLE(hash bytea, size bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  SELECT c.hash, c.size FROM (
    SELECT b.hash, b.size, b.stored_at FROM phaseline.blobs AS b
    UNION ALL SELECT m.hash, m.size, m.stored_at FROM phaseline.blob_manifests AS m
  ) AS c JOIN phaseline.file_references AS r ON r.hash = c.hash AND r.correlation_id = p_correlation_id AND NOT r.of_event
  WHERE c.stored_at < now() - p_grace AND NOT phaseline.is_content_needed(c.hash, p_correlation_id)
    AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = c.hash)
  ORDER BY c.hash LIMIT p_limit
$function$;
GRANT EXECUTE ON FUNCTION phaseline.removable_files(text,interval,integer) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.remove_files(p_correlation_id text, p_grace interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  v_from   xid8;
  v_data   jsonb;
  v_hashes bytea[];
  v_kept   bytea;
BEGIN
  SELECT transaction_id INTO v_from FROM phaseline.file_reference_progress FOR UPDATE;
  SELECT e.data::jsonb INTO v_data FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'FilesRemoved' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_data IS NULL THEN
    RAISE EXCEPTION 'files of % may only be removed in the transaction of an event FilesRemoved', p_correlation_id
      USING ERRCODE = 'PL010', HINT = 'Append the event first.';
  END IF;
  v_hashes := ARRAY(SELECT decode(h, 'hex') FROM jsonb_array_elements_text(v_data -> 'hashes') AS h);
  PERFORM FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_hashes) ORDER BY m.hash FOR UPDATE;
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (v_hashes) ORDER BY b.hash FOR UPDATE;

  -- A new statement sees what was committed before the locks were taken.
  SELECT h INTO v_kept FROM unnest(v_hashes) AS h
  WHERE phaseline.is_content_needed(h, p_correlation_id)
    OR EXISTS (SELECT FROM phaseline.blobs AS b WHERE b.hash = h AND b.stored_at >= now() - p_grace)
    OR EXISTS (SELECT FROM phaseline.blob_manifests AS m WHERE m.hash = h AND m.stored_at >= now() - p_grace)
    OR EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = h AND p.hash <> ALL (v_hashes))
    OR h IN (SELECT l FROM phaseline.events AS e, LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS l
             WHERE e.transaction_id > v_from AND e.correlation_id <> p_correlation_id)
  LIMIT 1;
  IF v_kept IS NULL THEN
    SELECT ''::bytea INTO v_kept FROM phaseline.events AS e
    WHERE e.type = 'JobForked' AND e.data -> 'parent' ->> 'jobId' = p_correlation_id
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = e.correlation_id) LIMIT 1;
  END IF;
  IF v_kept IS NOT NULL THEN
    RAISE EXCEPTION 'content % of % is needed since the removal was decided', encode(v_kept, 'hex'), p_correlation_id
      USING ERRCODE = 'PL011', HINT = 'Decide again which files can be removed.';
  END IF;

  DELETE FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_hashes);
  DELETE FROM phaseline.blobs AS b WHERE b.hash = ANY (v_hashes);
  IF NOT (v_data ->> 'hasMore')::boolean THEN
    INSERT INTO phaseline.released_files (correlation_id) VALUES (p_correlation_id) ON CONFLICT DO NOTHING;
    DELETE FROM phaseline.retention_candidates AS c WHERE c.correlation_id = p_correlation_id;
    PERFORM phaseline.forget_vectors(p_correlation_id::uuid);
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.remove_files(text,interval) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.remove_learning_traces(p_event_id uuid)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  WITH named AS MATERIALIZED (
    SELECT r.transaction_id, r.position, r.recorded_at, r.data ->> 'tenant' AS tenant, j.id AS job_id
    FROM phaseline.events AS r, LATERAL json_array_elements_text(r.data -> 'jobs') AS j(id)
    WHERE r.event_id = p_event_id AND r.type = 'LearningTracesRemoved' AND r.stream_id = 'retention-' || (r.data ->> 'tenant')
  ), due AS MATERIALIZED (
    SELECT n.* FROM named AS n
    WHERE coalesce((
        SELECT e.type <> 'JobRetried' FROM phaseline.events AS e
        WHERE e.stream_id = 'job-' || n.job_id AND (e.transaction_id, e.position) < (n.transaction_id, n.position)
          AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
        ORDER BY e.version DESC LIMIT 1), false)
      AND coalesce((
        SELECT e.type = 'HoldReleased' FROM phaseline.events AS e
        WHERE e.correlation_id = n.job_id AND (e.transaction_id, e.position) < (n.transaction_id, n.position)
          AND e.type IN ('HoldPlaced', 'HoldReleased')
        ORDER BY e.position DESC LIMIT 1), true)
  ), removed AS (
    DELETE FROM phaseline.learning_traces AS t USING due AS d
    WHERE t.job_id = d.job_id::uuid AND t.tenant = d.tenant
      AND t.scope = 'job' AND t.action NOT IN ('promote_trace', 'override_guard')
      AND coalesce((SELECT (e.transaction_id, e.position) < (d.transaction_id, d.position) FROM phaseline.events AS e
                    WHERE e.event_id = t.id), t.recorded_at <= d.recorded_at)
    RETURNING 1
  )
  SELECT count(*) FROM removed
$function$;
GRANT EXECUTE ON FUNCTION phaseline.remove_learning_traces(uuid) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.remove_vectors(p_correlation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  v_named integer;
  v_found integer;
BEGIN
  SELECT (e.data ->> 'vectorFiles')::integer INTO v_named FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'VectorsRemoved' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_named IS NULL THEN
    RAISE EXCEPTION 'vectors of % may only be removed in the transaction of an event VectorsRemoved', p_correlation_id
      USING ERRCODE = 'PL010', HINT = 'Append the event first.';
  END IF;
  PERFORM FROM phaseline.vector_files AS f WHERE f.job_id = p_correlation_id::uuid ORDER BY f.space, f.file_hash FOR UPDATE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found <> v_named THEN
    RAISE EXCEPTION 'the vectors of % changed since the removal was decided', p_correlation_id
      USING ERRCODE = 'PL011', HINT = 'Count them again.';
  END IF;
  PERFORM phaseline.forget_vectors(p_correlation_id::uuid);
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.remove_vectors(text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.request_slot(p_job_id uuid, p_phase integer, p_kind text, p_tenant text, p_priority integer, p_settings jsonb)
 RETURNS TABLE(job_id uuid, phase integer, waited_ms double precision)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  v_phase   integer;
  v_granted timestamptz;
  v_now     timestamptz;
BEGIN
  PERFORM phaseline.lock_slots();
  v_now := clock_timestamp();
  SELECT s.phase, s.granted_at INTO v_phase, v_granted FROM phaseline.slots AS s WHERE s.job_id = p_job_id;
  -- A request for an earlier phase was decided on an outdated state of the job; the log rejects its append by the version.
  IF v_phase > p_phase OR (v_phase = p_phase AND v_granted IS NOT NULL) THEN
    job_id := p_job_id;
    phase := p_phase;
    RETURN NEXT;
    RETURN;
  END IF;
  IF v_phase IS NULL THEN
    INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
    VALUES (p_job_id, p_phase, p_kind, p_tenant, p_priority, v_now, v_now);
  ELSIF v_phase < p_phase THEN
    UPDATE phaseline.slots AS s
    SET phase = p_phase, kind = p_kind, tenant = p_tenant, priority = p_priority, requested_at = v_now, granted_at = NULL
    WHERE s.job_id = p_job_id;
  END IF;
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.request_slot(uuid,integer,text,text,integer,jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.rewrap_job_key(p_correlation_id text, p_before bytea, p_wrapped bytea, p_master_key_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  UPDATE phaseline.job_keys SET wrapped = p_wrapped, master_key_id = p_master_key_id
  WHERE correlation_id = p_correlation_id AND wrapped = p_before AND p_wrapped IS NOT NULL;
  RETURN FOUND;
END
$function$;
GRANT EXECUTE ON FUNCTION phaseline.rewrap_job_key(text,bytea,bytea,text) TO phaseline_service;

CREATE OR REPLACE FUNCTION phaseline.slot_window(p_kind text, p_settings jsonb)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN COALESCE(((p_settings ->> 'window'::text))::integer, NULLIF((ceil((((p_settings ->> 'factor'::text))::double precision * ((SELECT sum(p.slots) AS sum FROM phaseline.processes p WHERE ((p.service = (slot_window.p_kind || '-worker'::text)) AND (p.heartbeat_at >= (clock_timestamp() - '00:00:07'::interval)))))::double precision)))::integer, 0), ((p_settings ->> 'withoutWorkers'::text))::integer);
GRANT EXECUTE ON FUNCTION phaseline.slot_window(text,jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION phaseline.tenant_limit(p_tenant text, p_settings jsonb)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT l.max_phases FROM phaseline.tenant_limits l WHERE (l.tenant = tenant_limit.p_tenant) ORDER BY l.id DESC LIMIT 1), (((p_settings -> 'limits'::text) ->> p_tenant))::integer, ((p_settings ->> 'limit'::text))::integer);
GRANT EXECUTE ON FUNCTION phaseline.tenant_limit(text,jsonb) TO PUBLIC;
