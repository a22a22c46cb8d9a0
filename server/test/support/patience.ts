/**
 * For one statement or one message, and half of it for a connection. It is longer than in the product, since tests run on machines that are
 * busy with other tests.
 */
export const patientMs = 120_000;
