import { completeTodo } from './complete-todo.js';
import { dueDates } from './due-dates.js';
import type { ExampleFeature } from './example-feature.js';
import { searchTodos } from './search-todos.js';

/** The features of the example: one that works at once, one that works in the second attempt, and one that never does. */
export const exampleFeatures: readonly ExampleFeature[] = [completeTodo, searchTodos, dueDates];
