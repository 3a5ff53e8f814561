import type { OpenAPIObject } from '@nestjs/swagger';

/** Keeps the description of the API, which can only be made once all routes are known. */
export class OpenApiHolder {
  #document: OpenAPIObject | undefined;

  set(document: OpenAPIObject): void {
    this.#document = document;
  }

  get document(): OpenAPIObject {
    if (!this.#document) throw new Error('the description of the API is asked for before it was made');
    return this.#document;
  }
}
