/** Contract, "Errors": a JSON body with an error object that holds code (integer) and message (string). */
export const errorForm = (code: number, message: string) => ({ error: { code, message } });
