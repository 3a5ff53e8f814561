/** Base class of errors with a stable `code`. Their `name` is the name of the class. */
export abstract class CodedError extends Error {
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
