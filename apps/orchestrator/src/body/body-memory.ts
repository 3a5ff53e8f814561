import { ApiProblem } from '../problem/api-problem.js';

/** Limits the bytes of request bodies in memory, so that many large requests do not exhaust it. */
export class BodyMemory {
  private readonly byRequest = new Map<object, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** Adds bytes of a request. Throws ApiProblem `rate_limited` when all requests together exceed the limit. */
  add(request: object, bytes: number): void {
    if (this.total + bytes > this.limit) {
      // Release what this request holds, so that earlier requests can be read completely.
      this.release(request);
      throw new ApiProblem(
        'rate_limited',
        'The server is handling as many large requests as it can. Try again shortly.',
        { headers: { 'retry-after': '2', connection: 'close' } },
      );
    }
    this.total += bytes;
    this.byRequest.set(request, (this.byRequest.get(request) ?? 0) + bytes);
  }

  release(request: object): void {
    this.total -= this.byRequest.get(request) ?? 0;
    this.byRequest.delete(request);
  }
}
