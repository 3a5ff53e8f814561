/** Actor of decisions that a timer makes because no person did. */
export const EXPIRY_ACTOR = 'timer';
