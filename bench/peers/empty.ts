/** Answers without doing anything: what a cold start costs by itself. */
export const handler = async (): Promise<{ readonly statusCode: number }> => ({ statusCode: 200 });
