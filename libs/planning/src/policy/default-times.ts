/** Working days of a person who said nothing. How much of them is used is decided by the capacity. */
export const DEFAULT_CALENDAR = {
  hours: (['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const).map((weekday) => ({
    ...{ weekday, from: '09:00', to: '17:00' },
  })),
  holidays: [],
};

/** Half of each working day, and all of them in a week. */
export const DEFAULT_CAPACITY = { minutesPerDay: 240, minutesPerWeek: 1_200 };
