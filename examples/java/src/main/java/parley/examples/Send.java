package parley.examples;

import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.services.sqs.SqsClient;

/**
 * Queues one send request.
 *
 * <pre>
 * cd examples/java
 * mvn -q compile
 * java -cp "target/classes:target/libraries/*" parley.examples.Send \
 *   shipment-1042 +5491150000001 "Your order is on its way."
 * </pre>
 *
 * <p>Needs SEND_QUEUE_URL, and in an account the permission sqs:SendMessage on the queue. See {@code examples/README.md}
 * for the variables against the local run and in an account.
 *
 * <p>The request ID names what the message is about, so running this twice sends one message. SQS drops the second request
 * for five minutes, and Parley drops it after that. A request that reuses an ID with another body goes to the dead-letter
 * queue.
 */
public final class Send {
  private Send() {}

  public static void main(String[] args) {
    var queueUrl = System.getenv("SEND_QUEUE_URL");
    if (args.length != 3 || queueUrl == null) {
      System.err.println("Usage: SEND_QUEUE_URL=… Send REQUEST_ID CONTACT TEXT");
      System.exit(2);
    }
    // The template is sent instead if the user has not written for 24 hours. The chat service must have approved it.
    var request = new SendRequest(args[0], args[1], args[2], "order_shipped", null, "shipping-status");

    // The SDK repeats a call that fails or times out. The deduplication ID makes that safe.
    try (var sqs = SqsClient.builder().overrideConfiguration(c -> c.retryStrategy(RetryMode.STANDARD)).build()) {
      var response =
          sqs.sendMessage(
              message ->
                  message
                      .queueUrl(queueUrl)
                      .messageGroupId(request.messageGroupId())
                      .messageDeduplicationId(request.requestId())
                      .messageBody(request.toJson()));
      System.out.printf("%s is queued as %s.%n", request.requestId(), response.messageId());
    }
  }
}
