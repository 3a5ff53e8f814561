import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE, problemStatus, type ProblemCode } from '@phaseline/client';

/** Documents the problems that a route may return; codes with the same status share an entry. */
export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  const byStatus = Map.groupBy(codes, (code) => problemStatus[code]);
  return applyDecorators(
    ...[...byStatus].map(([status, group]) =>
      ApiResponse({
        status,
        description: group.map((code) => `\`${code}\``).join(', '),
        content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      }),
    ),
  );
}
