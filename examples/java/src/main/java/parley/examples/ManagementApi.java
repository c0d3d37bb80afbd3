package parley.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/**
 * A client of Parley's management API, which signs each call with AWS Signature Version 4, with the credentials and the
 * region that every AWS SDK finds. {@code docs/management-api.json} describes every route.
 */
final class ManagementApi implements AutoCloseable {
  private static final int MAX_ATTEMPTS = 4;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String url;
  private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
  private final AwsCredentialsProvider credentials = DefaultCredentialsProvider.builder().build();
  private final Region region = DefaultAwsRegionProviderChain.builder().build().getRegion();
  private final SdkHttpClient http = UrlConnectionHttpClient.builder().socketTimeout(Duration.ofSeconds(30)).build();

  ManagementApi(String url) {
    this.url = url.replaceFirst("/+$", "");
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return call(SdkHttpMethod.GET, path, null);
  }

  JsonNode post(String path, Object body) throws IOException, InterruptedException {
    return call(SdkHttpMethod.POST, path, JSON.writeValueAsBytes(body));
  }

  /** Encodes an ID for use in a path. Without this, the plus of a phone number would be lost. */
  static String encode(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    http.close();
  }

  /** Retries if the API is throttled or fails, so use it only for calls that are safe to repeat, as those here are. */
  private JsonNode call(SdkHttpMethod method, String path, byte[] body) throws IOException, InterruptedException {
    for (var attempt = 1; ; attempt++) {
      // Signed for each attempt, because a signature is valid for five minutes.
      var response = http.prepareRequest(sign(method, path, body)).call();
      var status = response.httpResponse().statusCode();
      byte[] answer;
      try (var stream = response.responseBody().orElseThrow()) {
        answer = stream.readAllBytes();
      }
      if (response.httpResponse().isSuccessful()) {
        return JSON.readTree(answer);
      }
      var isRetried = status == 429 || status >= 500;
      if (!isRetried || attempt == MAX_ATTEMPTS) {
        throw ManagementApiException.of(status, answer);
      }
      Thread.sleep(ThreadLocalRandom.current().nextLong(100L << attempt));
    }
  }

  private HttpExecuteRequest sign(SdkHttpMethod method, String path, byte[] body) {
    var request =
        SdkHttpRequest.builder()
            .method(method)
            .uri(URI.create(url + path))
            .putHeader("content-type", "application/json");
    var content = body == null ? null : ContentStreamProvider.fromInputStreamSupplier(() -> new ByteArrayInputStream(body));
    if (body != null) {
      request.putHeader("content-length", Integer.toString(body.length));
    }
    var signed =
        signer.sign(
            sign ->
                sign.identity(credentials.resolveCredentials())
                    .request(request.build())
                    .payload(content)
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "execute-api")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, region.id()));
    return HttpExecuteRequest.builder().request(signed.request()).contentStreamProvider(content).build();
  }

  /** The API answered with an error: 400, 403, 404, 409, or 5xx. */
  static final class ManagementApiException extends IOException {
    private static final long serialVersionUID = 1L;

    private ManagementApiException(String message) {
      super(message);
    }

    private static ManagementApiException of(int status, byte[] body) {
      try {
        var error = JSON.readTree(body);
        // API Gateway's own errors, such as 403, have no code.
        var code = error.path("code").asText("");
        return new ManagementApiException("%d %s: %s".formatted(status, code, error.path("message").asText("")));
      } catch (IOException e) {
        return new ManagementApiException("%d: %s".formatted(status, new String(body, StandardCharsets.UTF_8)));
      }
    }
  }
}
