/** The todos of the service, in memory. */
export class Todos {
  #byId = new Map();

  /** Adds a todo and returns it. */
  add({ title }) {
    const todo = { id: this.#byId.size + 1, title, done: false };
    this.#byId.set(todo.id, todo);
    return todo;
  }

  /** Returns all todos in the order of their ids. */
  list() {
    return [...this.#byId.values()];
  }

  /** Returns the todo with this id, or undefined. */
  get(id) {
    return this.#byId.get(id);
  }
}
