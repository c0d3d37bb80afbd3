package parley.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * Queues a send request for each row of a CSV file, ten per call.
 *
 * <pre>
 * java -cp "target/classes:target/libraries/*" parley.examples.SendBatch shipments.csv
 * </pre>
 *
 * <p>The file has the columns shipment, contact, and name, as {@link CsvFile} reads it. Set it up as in {@link Send}.
 *
 * <p>A batch can fail in part: the call succeeds, and its response lists the entries that failed. Entries that failed at
 * SQS are retried; entries that SQS refuses are reported, and the exit code is 1. It is safe to run this again, because
 * each request's ID is derived from its shipment.
 */
public final class SendBatch {
  private static final int MAX_ENTRIES = 10;
  private static final int MAX_BATCH_BYTES = 1024 * 1024;
  private static final int MAX_ATTEMPTS = 5;

  record Failure(SendRequest request, String code, String message) {}

  private SendBatch() {}

  public static void main(String[] args) throws InterruptedException {
    var queueUrl = System.getenv("SEND_QUEUE_URL");
    if (args.length != 1 || queueUrl == null) {
      System.err.println("Usage: SEND_QUEUE_URL=… SendBatch FILE");
      System.exit(2);
    }
    var requests = List.<SendRequest>of();
    try {
      requests = readShipments(Path.of(args[0]));
    } catch (IOException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
    var failures = new ArrayList<Failure>();
    try (var sqs = SqsClient.create()) {
      for (var batch : batches(requests)) {
        failures.addAll(sendBatch(sqs, queueUrl, batch));
      }
    }
    for (var failure : failures) {
      System.err.printf("%s is not queued: %s: %s%n", failure.request.requestId(), failure.code, failure.message);
    }
    System.out.printf("%d of %d are queued.%n", requests.size() - failures.size(), requests.size());
    System.exit(failures.isEmpty() ? 0 : 1);
  }

  private static List<SendRequest> readShipments(Path file) throws IOException {
    var shipments = new ArrayList<SendRequest>();
    for (var row : CsvFile.readRows(file)) {
      shipments.add(shipped(row.get("shipment"), row.get("contact"), row.get("name")));
    }
    return shipments;
  }

  private static SendRequest shipped(String shipment, String contact, String name) {
    return new SendRequest(
        "shipped-" + shipment,
        contact,
        "%s, your order %s is on its way.".formatted(name, shipment),
        "shipment_on_its_way",
        Map.of("name", name, "shipment", shipment),
        "shipping-status");
  }

  /**
   * Splits requests into batches that SQS accepts, with at most one request per contact. A retry queues an entry after the
   * others of its batch, which would change the order of a contact's requests.
   */
  static List<List<SendRequest>> batches(List<SendRequest> requests) {
    var batches = new ArrayList<List<SendRequest>>();
    var batch = new ArrayList<SendRequest>();
    var groups = new HashSet<String>();
    var size = 0;
    for (var request : requests) {
      var length = request.toJson().getBytes(StandardCharsets.UTF_8).length;
      var isFull = batch.size() == MAX_ENTRIES || size + length > MAX_BATCH_BYTES;
      if (isFull || groups.contains(request.messageGroupId())) {
        batches.add(List.copyOf(batch));
        batch.clear();
        groups.clear();
        size = 0;
      }
      batch.add(request);
      groups.add(request.messageGroupId());
      size += length;
    }
    if (!batch.isEmpty()) {
      batches.add(List.copyOf(batch));
    }
    return batches;
  }

  /** Queues a batch, and retries the entries that failed at SQS. Returns the requests that were not queued. */
  static List<Failure> sendBatch(SqsClient sqs, String queueUrl, List<SendRequest> batch) throws InterruptedException {
    var refused = new ArrayList<Failure>();
    var pending = batch;
    for (var attempt = 1; !pending.isEmpty(); attempt++) {
      var sent = pending;
      var entries = IntStream.range(0, sent.size()).mapToObj(index -> entry(index, sent.get(index))).toList();
      var response = sqs.sendMessageBatch(call -> call.queueUrl(queueUrl).entries(entries));

      var retried = new ArrayList<SendRequest>();
      for (var failed : response.failed()) {
        var request = sent.get(Integer.parseInt(failed.id()));
        if (failed.senderFault() || attempt == MAX_ATTEMPTS) {
          refused.add(new Failure(request, failed.code(), failed.message()));
        } else {
          retried.add(request);
        }
      }
      pending = retried;
      if (!pending.isEmpty()) {
        Thread.sleep(ThreadLocalRandom.current().nextLong(100L << attempt));
      }
    }
    return refused;
  }

  private static SendMessageBatchRequestEntry entry(int index, SendRequest request) {
    return SendMessageBatchRequestEntry.builder()
        .id(Integer.toString(index))
        .messageGroupId(request.messageGroupId())
        .messageDeduplicationId(request.requestId())
        .messageBody(request.toJson())
        .build();
  }
}
