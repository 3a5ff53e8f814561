import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import {
  EVENT_STREAM_MEDIA_TYPE,
  PROBLEM_MEDIA_TYPE,
  problemSchema,
  problemStatus,
  type ProblemCode,
} from '@phaseline/client';
import { submitRequestSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { submitFormSchema } from './submit-body.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

const DESCRIPTION = [
  'Runs long agent jobs that follow their plan, lose no work and can be audited byte for byte.',
  'Every response that is not a success is a problem (RFC 9457) with a stable `code`.',
  'If API keys are configured, send `Authorization: Bearer <key>`.',
].join(' ');

/** Creates the OpenAPI document from the schemas that check the requests. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setTitle('Phaseline')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addBearerAuth()
    .addSecurityRequirements('bearer')
    .addServer('/', 'The server of this document; 127.0.0.1:7070 by default')
    .build();
  const document = SwaggerModule.createDocument(app, settings);
  const schemas = (document.components ??= {}).schemas ?? {};
  document.components.schemas = {
    ...schemas,
    ...componentsOf(submitRequestSchema, 'input'),
    ...componentsOf(problemSchema, 'output'),
  };
  const submit = document.paths['/v1/jobs']?.post?.requestBody;
  // Nest gives every media type the same schema.
  if (submit && 'content' in submit) submit.content['multipart/form-data'] = { schema: submitFormSchema };
  for (const item of Object.values(document.paths))
    for (const operation of [item.get, item.post, item.put, item.delete]) if (operation) addCommonProblems(operation);
  const events = document.paths['/v1/jobs/{jobId}/events']?.get?.responses['200'];
  if (events && 'content' in events && events.content)
    events.content[EVENT_STREAM_MEDIA_TYPE] = { schema: { type: 'string' } };
  return document;
}

/** Problems that any route may return, because they occur before or after the route's own code. */
const commonProblems: readonly ProblemCode[] = [
  'unauthorized',
  'forbidden',
  'forbidden_host',
  'forbidden_origin',
  'rate_limited',
  'internal',
];

function addCommonProblems(operation: OperationObject): void {
  for (const [status, codes] of Map.groupBy(commonProblems, (code) => String(problemStatus[code]))) {
    operation.responses[status] ??= {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
}

/** Returns a schema and those it refers to, under the names in their `meta`. */
function componentsOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, object> {
  const { definitions = {} } = z.toJSONSchema(z.object({ it: schema }), { io, target: 'openapi-3.0' });
  return JSON.parse(JSON.stringify(definitions).replaceAll('#/definitions/', '#/components/schemas/')) as Record<
    string,
    object
  >;
}
