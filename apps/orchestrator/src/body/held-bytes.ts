import { ApiProblem } from '../problem/api-problem.js';

/** Counts the bytes of bodies that are held while their requests are answered, so that many large ones do not fill the memory. */
export class HeldBytes {
  private readonly byRequest = new Map<object, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** Throws ApiProblem `rate_limited` when all requests together hold too much. */
  take(request: object, bytes: number): void {
    if (this.total + bytes > this.limit) {
      // Nothing more of it is kept, so that those before it can be taken whole.
      this.release(request);
      throw new ApiProblem('rate_limited', 'The server holds as many large requests as it can. Try again shortly.', {
        headers: { 'retry-after': '2', connection: 'close' },
      });
    }
    this.total += bytes;
    this.byRequest.set(request, (this.byRequest.get(request) ?? 0) + bytes);
  }

  release(request: object): void {
    this.total -= this.byRequest.get(request) ?? 0;
    this.byRequest.delete(request);
  }
}
